"""What the models are asked: one Markdown file per prompt, with `$name` holes."""
