"""Manuscripts that come from elsewhere: files of other programs as chapters in Markdown."""
