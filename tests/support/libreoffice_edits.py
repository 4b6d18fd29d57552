"""Edits by LibreOffice with its own change tracking; run by a Python that has `uno`.

Arguments: the Word file, the file to write, a folder for LibreOffice's profile. It prints the number
of edits: insertions, deletions, replacements, sentences at the end, splits and joins in turn.
"""

import subprocess
import sys
import time
from typing import Any

PORT = 29_917


def main(source: str, target: str, home: str) -> None:
    import uno  # type: ignore[import-not-found]  # noqa: PLC0415 - only that Python has it

    def value(name: str, what: object) -> Any:
        found = uno.createUnoStruct("com.sun.star.beans.PropertyValue")
        found.Name, found.Value = name, what
        return found

    address = f"socket,host=127.0.0.1,port={PORT};urp;"
    options = ("--headless", "--norestore", f"-env:UserInstallation=file://{home}")
    with subprocess.Popen(["soffice", *options, f"--accept={address}"]) as office:
        desktop = _desktop(uno, f"uno:{address}StarOffice.ComponentContext")
        hidden = (value("Hidden", what=True),)
        document = desktop.loadComponentFromURL(f"file://{source}", "_blank", 0, hidden)
        document.RecordChanges = True
        count = _edit(document.Text)
        word = (value("FilterName", "MS Word 2007 XML"),)
        document.storeToURL(f"file://{target}", word)
        document.close(True)
        office.terminate()
    sys.stdout.write(f"{count}\n")


def _desktop(uno: Any, address: str) -> Any:
    local = uno.getComponentContext()
    name = "com.sun.star.bridge.UnoUrlResolver"
    resolver = local.ServiceManager.createInstanceWithContext(name, local)
    for _ in range(120):
        try:
            context = resolver.resolve(address)
        except Exception:  # noqa: BLE001 - it has not begun to listen
            time.sleep(0.5)  # noqa: TID251
            continue
        name = "com.sun.star.frame.Desktop"
        return context.ServiceManager.createInstanceWithContext(name, context)
    raise SystemExit("LibreOffice does not answer")


def _edit(text: Any) -> int:
    styles = ("Text body", "Body Text", "First Paragraph")
    paragraphs = []
    every = text.createEnumeration()
    while every.hasMoreElements():
        one = every.nextElement()
        if one.supportsService("com.sun.star.text.Paragraph") and one.ParaStyleName in styles:
            paragraphs += [one] if one.String.count(" ") > 3 else []
    places = [*range(0, len(paragraphs) - 2, 2)]
    for number, place in enumerate(reversed(places)):
        _change(text, paragraphs[place], number % 6)
    return len(places)


def _change(text: Any, paragraph: Any, kind: int) -> None:
    words = paragraph.String
    at = words.index(" ") + 1
    cursor = text.createTextCursorByRange(paragraph.Start)
    cursor.goRight(at, False)
    word = words[at:].split(" ")[0]
    if kind == 0:
        text.insertString(cursor, "slowly ", False)
    elif kind in (1, 2):
        cursor.goRight(len(word) + (kind == 1), True)
        cursor.String = "" if kind == 1 else "lantern"
    elif kind == 3:
        text.insertString(text.createTextCursorByRange(paragraph.End), " It was late.", False)
    elif kind == 4:
        text.insertControlCharacter(cursor, 0, False)
    else:
        cursor = text.createTextCursorByRange(paragraph.Start)
        cursor.gotoEndOfParagraph(True)
        cursor.goRight(1, True)
        cursor.String = ""


if __name__ == "__main__":
    main(*sys.argv[1:])
