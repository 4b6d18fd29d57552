"""`make bench`: start-up, overheads, tool chains, exports, review pages and a long book, in one run."""

import platform
from importlib import metadata

from bench import book, client_overhead, engine_overhead, exports, resolver, review, startup


def main() -> None:
    packages = ("litellm", "openai", "pydantic", "typer", "rich")
    versions = ", ".join(f"{name} {metadata.version(name)}" for name in packages)
    print(f"{platform.platform()}, Python {platform.python_version()}, {versions}\n")
    for part in (startup, engine_overhead, client_overhead, resolver, exports, review, book):
        print(f"## {part.TITLE}\n")
        for line in part.measure():
            print(line)
        print()


if __name__ == "__main__":
    main()
