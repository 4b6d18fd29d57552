"""Looking at a book and at what the models answered: pages, and the records under them."""
