"""The shapes of a book: what an author asks for and what a model answers."""
