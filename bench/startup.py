"""What `--help` and the import of the command line cost beside the libraries they stand on."""

import subprocess
import sys
from collections.abc import Iterator
from statistics import median
from time import perf_counter

from bench.figures import spread

TITLE = "Start-up"
ROUNDS = 9
COMMANDS = {
    "import typer, rich, pydantic": ["-c", "import typer, rich, pydantic"],
    "libriscribe2 --help": ["-m", "libriscribe2", "--help"],
    "import libriscribe2.cli.root": ["-c", "import libriscribe2.cli.root"],
    "libriscribe2 create --help": ["-m", "libriscribe2", "create", "--help"],
}


def measure() -> Iterator[str]:
    seconds: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for _ in range(ROUNDS):
        for name, arguments in COMMANDS.items():
            start = perf_counter()
            subprocess.run([sys.executable, *arguments], check=True, capture_output=True)
            seconds[name].append(perf_counter() - start)
    for name, sample in seconds.items():
        yield f"- {name}: {spread(sample, 'ms', 1e3)}"
    base, *others = COMMANDS
    for name in others:
        pairs = zip(seconds[name], seconds[base], strict=True)
        ratio = median(one / other for one, other in pairs)
        yield f"- ratio of `{name}` to the import of typer, rich and pydantic: {ratio:.2f}"
    probe = "import sys, libriscribe2.cli.root; print('litellm' in sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True).stdout
    yield f"- `import libriscribe2.cli.root` loads litellm: {loaded.strip()}"
