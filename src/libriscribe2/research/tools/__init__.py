"""The tools that come with the program: one file each, found by its `TOOL`."""
