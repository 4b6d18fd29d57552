"""What a scene is written from: bounded parts of the book, put together by code alone."""
