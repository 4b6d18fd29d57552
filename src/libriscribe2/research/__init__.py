"""Research for a book: tool chains over sources and the web, down to notes."""
