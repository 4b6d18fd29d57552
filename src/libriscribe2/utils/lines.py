"""Places in the lines of a text."""


def begins_line(text: str, start: int) -> bool:
    """Whether only white space stands between `start` and the beginning of its line.

    It looks back no further than to the first other character, however long the line is.
    """
    while start and text[start - 1] != "\n":
        start -= 1
        if not text[start].isspace():
            return False
    return True
