"""Makes the pictures of the README: a run in a terminal, and a book in the browser. `make pictures`."""

import os
import re
import subprocess
import sys
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from playwright.sync_api import sync_playwright
from rich.console import Console
from rich.text import Text

HERE: Final = Path(__file__).parent
ROOT: Final = HERE.parents[1]
WIDTH: Final = 100
PROMPT: Final = "[bold green]$[/] "
KEPT: Final = re.compile(
    r"^(✓ (Concept|Characters|World|Outline|Style|Scenes|Chapter \d+: |Manu)|Fin|pro)"
)


def main() -> None:
    """Make both."""
    with TemporaryDirectory() as folder:
        terminal(Path(folder))
        browser(Path(folder))


def typed(folder: Path, *words: str) -> str:
    """What a command prints in a pipe."""
    done = subprocess.run(
        [sys.executable, "-m", "libriscribe2", *words],
        cwd=folder,
        env={**os.environ, "COLUMNS": str(WIDTH)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        check=True,
    )
    return done.stdout


def terminal(folder: Path) -> None:
    """`demo` and `check`, as an SVG."""
    console = Console(record=True, width=WIDTH, file=StringIO())
    console.print(PROMPT + "libriscribe2 demo")
    lines = typed(folder, "demo").splitlines()
    console.print(Text(lines[0]))
    for line in lines:
        if KEPT.match(line):
            console.print(Text(line, style="green" if line.startswith("✓") else "bold"))
    console.print(PROMPT + "libriscribe2 check demo --report | head -4")
    for line in typed(folder, "check", "demo", "--report").splitlines()[:4]:
        console.print(Text(line.expandtabs(28)[:WIDTH]))
    console.save_svg(str(HERE / "demo.svg"), title="libriscribe2", code_format=_without_web_fonts())


def _without_web_fonts() -> str:
    """Rich's drawing without the fonts that it would load."""
    from rich._export_format import CONSOLE_SVG_FORMAT  # noqa: PLC0415 - the only place of it

    return re.sub(r"@font-face \{\{.*?\}\}\n", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL)


def browser(folder: Path) -> None:
    """A chapter of the novel as `view` and `desk` show it, as a PNG."""
    typed(folder, "view", "demo", "--export", "pages")
    with sync_playwright() as play:
        chromium = play.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        page = chromium.new_page(viewport={"width": 1200, "height": 760})
        page.goto((folder / "pages" / "read-01.html").as_uri())
        page.screenshot(path=str(HERE / "view.png"))
        chromium.close()


if __name__ == "__main__":
    main()
