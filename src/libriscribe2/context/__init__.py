"""What a model may see of the book, within a budget: put together by code alone."""
