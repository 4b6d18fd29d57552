"""The agents: each makes one artifact of the book. Adding one is a module here and a prompt."""
