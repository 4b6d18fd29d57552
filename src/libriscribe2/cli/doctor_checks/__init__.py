"""What `libriscribe2 doctor` looks at."""
