"""The desk: books planned, written, read and changed in the browser; `view` is its read-only part.

A page is a function of a module in `screens/`, listed in its `SCREEN`, with a template in
`templates/desk/`; it gets a `Visit` (`visits.py`) and calls functions of `commands/`. What spends
money or takes long is a `Job` of the workshop. `site.py` has the filters of templates, `server.py`
whom the server answers, and the modules in `_page` and `_pages` are what `view` shows.
"""
