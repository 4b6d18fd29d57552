"""The project folder: its names, its journal, and every byte that is read or written there.

The folder of files is the book and may be edited by hand; the journal beside it makes every paid
reply permanent. It is a set of records (`records.scan_journal`): whoever syncs, merges or restores
the folder may double its lines, shuffle them or put an older copy there, and none is lost while a
process knows it. A new kind of record raises `records.FORMAT`. `ProjectStore` is the door;
`ProjectStore.peek` looks without touching.

Nothing is written through a link out of a project, its records included (`ProjectPaths.resolve`).
"""
