"""What the offline author is made of: a reader of prompts, a grammar and a filler of schemas."""
