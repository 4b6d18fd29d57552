"""Questions on a terminal: asked on stderr, answered in lines of stdin."""

import sys
from collections.abc import Callable, Sequence

from libriscribe2.cli.render import Renderer
from libriscribe2.errors import UsageError

Check = Callable[[str], str]
"""Says what is wrong with an answer; "" where nothing is."""


class Questions:
    """Asks on stderr, and reads lines from stdin.

    Args:
        renderer: Says what is wrong with an answer.
        in_scripts: What to do where nobody answers.
    """

    def __init__(
        self, renderer: Renderer, in_scripts: str = "Run it where its questions can be answered."
    ) -> None:
        self._renderer = renderer
        self._in_scripts = in_scripts

    def line(self, question: str) -> str:
        """An answer as it is typed.

        Raises:
            UsageError: The input has ended.
            KeyboardInterrupt: Ctrl-C; what is written next begins a line.
        """
        sys.stderr.write(question)
        sys.stderr.flush()
        try:
            typed = sys.stdin.readline()
        except KeyboardInterrupt:
            sys.stderr.write("\n")
            raise
        if not typed:
            sys.stderr.write("\n")
            raise UsageError("Nobody answered: the input has ended.", fix=self._in_scripts)
        return typed.strip()

    def ask(self, question: str, default: str, check: Check) -> str:
        """An answer that can be used; what is wrong with others is said."""
        while True:
            shown = f" [{default}]" if default else ""
            end = "" if question.endswith("?") and not shown else ":"
            answer = self.line(f"{question}{shown}{end} ") or default
            fault = check(answer)
            if not fault:
                return answer
            self._renderer.warning(fault)

    def choose(self, question: str, options: Sequence[str], default: str, check: Check) -> str:
        """One of several, by its number, or something else that can be used.

        Args:
            question: What is asked, below the options.
            options: What can be chosen.
            default: What Enter stands for: a number, or another answer.
            check: Says what is wrong with an answer that is no number.
        """
        listed = (f"{number:>3}  {option}" for number, option in enumerate(options, 1))
        self._renderer.note("\n".join(("", *listed)))

        def picked(answer: str) -> str:
            number = int(answer) if answer.isdecimal() and len(answer) < 4 else 0
            return options[number - 1] if 0 < number <= len(options) else answer

        return picked(self.ask(question, default, lambda answer: check(picked(answer))))

    @staticmethod
    def one_of(options: Sequence[str]) -> Check:
        """A check that takes nothing but what is listed."""
        return lambda answer: "" if answer in options else f"Write 1 to {len(options)}."

    def key(self, question: str, keys: str) -> str:
        """One of some letters; the first is the default."""
        while True:
            answer = self.line(question).lower()[:1] or keys[0]
            if answer in keys:
                return answer

    def agrees(self, question: str, *, default: bool = True) -> bool:
        """Whether the answer is yes; Enter is the default."""
        shown, keys = ("[Y/n]", "yn") if default else ("[y/N]", "ny")
        return self.key(f"{question} {shown} ", keys) == "y"
