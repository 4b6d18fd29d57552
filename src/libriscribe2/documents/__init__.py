"""Word, EPUB, HTML, PDF, Markdown and text as text with locators and as blocks of Markdown."""
