"""Edits by LibreOffice with its own change tracking; run by a Python that has `uno`.

Arguments: the Word file, the file to write, a folder for LibreOffice's profile. It prints the number
of edits of ten kinds: words that come, go or change, sentences, splits, joins and paragraphs that go,
and, as far as there are tables and footnotes, cells, rows and notes.
"""

import subprocess
import sys
import time
from collections.abc import Callable
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
        try:
            make = _factory(uno, f"uno:{address}StarOffice.ComponentContext")
            desktop = make("com.sun.star.frame.Desktop")
            hidden = (value("Hidden", what=True),)
            document = desktop.loadComponentFromURL(f"file://{source}", "_blank", 0, hidden)
            document.RecordChanges = True
            count = _edit(document.Text) + _edit_notes(document.Footnotes)
            dispatcher = make("com.sun.star.frame.DispatchHelper")
            count += _edit_tables(document, dispatcher)
            word = (value("FilterName", "MS Word 2007 XML"),)
            document.storeToURL(f"file://{target}", word)
            document.close(True)
        finally:
            office.terminate()
    sys.stdout.write(f"{count}\n")


def _factory(uno: Any, address: str) -> Callable[[str], Any]:
    local = uno.getComponentContext()
    name = "com.sun.star.bridge.UnoUrlResolver"
    resolver = local.ServiceManager.createInstanceWithContext(name, local)
    for _ in range(120):
        try:
            context = resolver.resolve(address)
        except Exception:  # noqa: BLE001 - it has not begun to listen
            time.sleep(0.5)  # noqa: TID251
            continue
        make = context.ServiceManager.createInstanceWithContext
        return lambda name: make(name, context)
    raise SystemExit("LibreOffice does not answer")


def _edit(text: Any) -> int:
    styles = ("Text body", "Body Text", "First Paragraph")
    paragraphs = []
    every = text.createEnumeration()
    while every.hasMoreElements():
        one = every.nextElement()
        is_body = (
            one.supportsService("com.sun.star.text.Paragraph")
            and one.ParaStyleName in styles
            and one.String.count(" ") > 3
        )
        paragraphs.append(one if is_body else None)
    places, at = [], 0
    while at < len(paragraphs) - 1:
        has_two = paragraphs[at] is not None and paragraphs[at + 1] is not None
        places += [at] if has_two else []
        at += 1 + has_two
    for number, place in enumerate(reversed(places)):
        _change(text, paragraphs[place], number % 7)
    return len(places)


def _edit_notes(notes: Any) -> int:
    for number in range(notes.Count):
        note = notes.getByIndex(number)
        cursor = note.createTextCursor()
        if number % 2:
            words = note.String.lstrip()
            cursor.gotoStart(False)
            cursor.goRight(len(note.String) - len(words), False)
            cursor.goRight(len(words.split(" ")[0]), True)
            cursor.String = "There"
        else:
            cursor.gotoEnd(False)
            note.insertString(cursor, " Ask Hester.", False)
    return int(notes.Count)


def _edit_tables(document: Any, dispatcher: Any) -> int:
    """In each table a cell and a row."""
    controller = document.CurrentController
    for number, name in enumerate(document.TextTables.ElementNames):
        table = document.TextTables.getByName(name)
        last = len(table.Rows)
        cell = table.getCellByName("B2")
        cursor = cell.createTextCursor()
        if number % 3 == 2:
            cursor.gotoEnd(True)
            cursor.String = ""
        else:
            cursor.gotoEnd(False)
            cell.insertString(cursor, " | and more", False)
        controller.select(table.getCellByName(f"A{last}"))
        if number % 2:
            dispatcher.executeDispatch(controller.Frame, ".uno:DeleteRows", "", 0, ())
        else:
            dispatcher.executeDispatch(controller.Frame, ".uno:InsertRowsAfter", "", 0, ())
            new = table.getCellByName(f"A{last + 1}")
            new.insertString(new.createTextCursor(), "Bella", False)
    return 2 * len(document.TextTables.ElementNames)


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
    elif kind == 5:
        cursor = text.createTextCursorByRange(paragraph.Start)
        cursor.gotoEndOfParagraph(True)
        cursor.goRight(1, True)
        cursor.String = ""
    else:
        cursor = text.createTextCursorByRange(paragraph.End)
        cursor.goRight(1, True)
        cursor.String = ""


if __name__ == "__main__":
    main(*sys.argv[1:])
