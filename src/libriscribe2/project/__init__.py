"""The project folder: its names, its journal, and every byte that is read or written there.

The folder of files is the book and may be edited by hand; the journal beside it makes every paid
reply permanent. `ProjectStore` is the door; `ProjectStore.peek` looks without touching.

Nothing is written through a link out of a project, its records included (`ProjectPaths.resolve`).
"""
