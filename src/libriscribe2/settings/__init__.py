"""Settings: flags over environment and `.env`, over project, over user, over defaults.

`load_for_project` finds the files of a command, `load_settings` reads and merges them; everything below this room receives values as arguments and
never sees the settings themselves.
"""
