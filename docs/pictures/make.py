"""Makes the pictures of the README: a run in a terminal, and a book in the browser. `make pictures`."""

import os
import re
import shutil
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
    """The plan, a chapter and the shelf at the desk, as PNGs."""
    shutil.copytree(ROOT / "examples" / "squeeze", folder / "projects" / "squeeze")
    recording = ROOT / "tests" / "recorded" / "locked-key.json"
    typed(folder, "create", "--model", f"recorded:{recording}", "--project-name", "locked-key")
    words = [sys.executable, "-m", "libriscribe2", "desk", "--no-open"]
    desk = subprocess.Popen(words, cwd=folder, stdout=subprocess.PIPE, text=True, encoding="utf-8")
    address = desk.stdout.readline().strip() if desk.stdout is not None else ""
    root = address.partition("/enter")[0]
    shown = {"shelf": "/", "plan": "/b/demo/plan", "read": "/b/demo/read/1"}
    with sync_playwright() as play:
        chromium = play.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        page = chromium.new_page(viewport={"width": 1200, "height": 760})
        page.goto(address)
        page.wait_for_selector("h1:has-text('Your books')")
        for name, place in shown.items():
            page.goto(f"{root}{place}", wait_until="networkidle" if name == "shelf" else "load")
            page.screenshot(path=str(HERE / f"desk-{name}.png"))
        chromium.close()
    desk.terminate()
    desk.wait()


if __name__ == "__main__":
    main()
