"""The desk: books planned, written, read and changed in the browser; `view` is its read-only part."""
