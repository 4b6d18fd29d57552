"""Pages to look at a project without its lock: served to a browser, or written as a folder."""
