#!/usr/bin/env python3
"""Makes a release: `release/release.py 0.3.0`. Uploading is left to a person.

Run it in a checkout that was set up (`make setup`), with the group `release` installed.
"""

import re
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
VERSION: Final = re.compile(r"\d+\.\d+\.\d+")
NOWHERE: Final = "libriscribe2.example"
"""Stands for the project's address until it has one."""
REVERSED: Final = "example.libriscribe2"
"""The same where names begin with the widest domain."""


def main(words: list[str]) -> str:
    """Make the release; what to do next."""
    if len(words) != 1 or not VERSION.fullmatch(words[0]):
        sys.exit("usage: release/release.py VERSION, such as 0.3.0")
    (version,) = words
    _check(version)
    _set(ROOT / "pyproject.toml", r'^version = ".*"$', f'version = "{version}"')
    _set(
        ROOT / "src/libriscribe2/__init__.py", r'^__version__ = ".*"$', f'__version__ = "{version}"'
    )
    day = f"{datetime.now(UTC):%Y-%m-%d}"
    _set(ROOT / "CHANGELOG.md", rf"^## \[{re.escape(version)}\].*$", f"## [{version}] - {day}")
    _run(
        "env", "PYTHONPATH=.", sys.executable, "tests/docs/reference_pages.py"
    )  # the manual's head
    _run("uv", "lock")
    _run("uv", "build", "--clear")
    _run(sys.executable, "-m", "twine", "check", "--strict", *_built())
    _run("git", "commit", "--quiet", "--all", "--message", f"Version {version}")
    _run("git", "tag", "--annotate", f"v{version}", "--message", f"Version {version}")
    return f"Look at dist/, then: git push origin main v{version}, and twine upload dist/*"


def _check(version: str) -> None:
    """End where something is missing."""
    if _run("git", "status", "--porcelain").strip():
        sys.exit("There are changes that are not committed.")
    if f"## [{version}]" not in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"):
        sys.exit(f"CHANGELOG.md has no section [{version}].")
    if f"v{version}" in _run("git", "tag", "--list").split():
        sys.exit(f"There is a tag v{version} already.")
    if not (ROOT / "site" / "index.html").is_file():
        sys.exit("The source package has the documentation as a site: run `make docs-site` first.")
    named = _run("git", "grep", "--name-only", "--fixed-strings", "-e", NOWHERE, "-e", REVERSED)
    if places := [name for name in named.split() if not name.startswith("release/")]:
        sys.exit(f"Replace {NOWHERE} and {REVERSED} in {', '.join(places)}.")


def _set(path: Path, pattern: str, line: str) -> None:
    """Replace the one line that fits."""
    text, count = re.subn(pattern, line, path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    if count != 1:
        sys.exit(f"{path.name} has {count} lines that fit {pattern!r}.")
    path.write_text(text, encoding="utf-8")


def _built() -> list[str]:
    return [str(path) for path in sorted((ROOT / "dist").glob("libriscribe2-*"))]


def _run(*command: str) -> str:
    """What a program prints; its failure ends this one."""
    done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    sys.stdout.write(main(sys.argv[1:]) + "\n")
