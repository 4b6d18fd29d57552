"""The road of a real run: which of our files it enters, and how deep a request lies.

`python -P bench/house_road.py SOURCE REPORT WORD...` runs the command line of the sources in the
folder SOURCE with the words, watched by a profile function, and leaves what it saw in the file
REPORT. It imports nothing of ours before the run begins, and knows the program by three things
only: a book's files are renamed into their places, a chapter is made by a method `execute`, and
the backend that needs no model is asked by `complete` or `stream`.
"""

import asyncio
import json
import os
import runpy
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Final
from weakref import WeakKeyDictionary

Stack = tuple[str, ...]
"""Our frames, the innermost first, as `file.py:function`."""

BACKENDS: Final = ("llm/offline_author.py", "llm/backends/demo.py")
"""Where the backend lives that needs no model: here a request leaves."""

ASKED: Final = frozenset({"complete", "stream"})
BEGUN: Final = "execute"
"""The method of an agent that makes a chapter."""

PLANNED: Final = "scenes.json"
"""Once this file is in its place, chapters begin."""

_FUNCTION: Final = 0x1  # CO_OPTIMIZED: code of a module or of a class body is without it
_LOOP: Final = f"asyncio{os.sep}events.py"


def _is_import(frame: FrameType | None) -> bool:
    """Whether a frame runs a module or a class body: a comprehension of it is a part of it, as it
    is from Python 3.12 on anyway."""
    return frame is not None and not frame.f_code.co_flags & _FUNCTION


class Watch:
    """What a run enters, in parts that end where something happens that a reader can see.

    Attributes:
        parts: What ended each part, and the code entered in it.
        stacks: Our frames at each request, the backend's own left out.
        planned: Whether chapters may begin.
    """

    def __init__(self, source: Path) -> None:
        self.parts: list[tuple[str, set[CodeType]]] = []
        self.stacks: list[Stack] = []
        self.planned = False
        self._root = f"{source}{os.sep}libriscribe2{os.sep}"
        self._names: dict[CodeType, str | None] = {}
        self._entered: set[CodeType] = set()
        self._creators: WeakKeyDictionary[Any, Stack] = WeakKeyDictionary()
        self._thread = threading.local()

    def begin(self) -> None:
        """Watch from here on, in every thread."""
        self._follow_tasks()
        self._follow_threads()
        sys.addaudithook(self._audited)
        threading.setprofile(self._called)
        sys.setprofile(self._called)

    def report(self, path: Path) -> None:
        """Stop, and write down what was seen."""
        sys.setprofile(None)
        parts = [*self.parts, ("end", self._entered)]
        told = [(mark, sorted({self._names[code] or "" for code in seen})) for mark, seen in parts]
        path.write_text(json.dumps({"parts": told, "stacks": self.stacks}), encoding="utf-8")

    def _name(self, code: CodeType) -> str | None:
        """`file.py:function` of a function of ours, else None."""
        if code not in self._names:
            ours = code.co_filename.startswith(self._root) and code.co_flags & _FUNCTION
            file = code.co_filename.removeprefix(self._root).replace(os.sep, "/")
            self._names[code] = f"{file}:{code.co_name}" if ours else None
        return self._names[code]

    def _called(self, frame: FrameType, event: str, _: Any) -> None:
        """The profile function: a function was entered, or a generator resumed."""
        if event != "call" or (name := self._name(frame.f_code)) is None:
            return
        if name.endswith(">") and _is_import(frame.f_back):
            return
        file, _, function = name.partition(":")
        if self.planned and function == BEGUN:
            self.planned = False
            self._mark("chapter")
        self._entered.add(frame.f_code)
        if function in ASKED and file in BACKENDS:
            stack = tuple(self._stack(frame.f_back))
            if not stack or stack[0].partition(":")[0] != file:  # `stream` may ask `complete`
                self.stacks.append(stack)
                self._mark("request")

    def _audited(self, event: str, about: tuple[Any, ...]) -> None:
        """An audit hook: a file is renamed into its place."""
        if event == "os.rename":
            placed = Path(os.fsdecode(about[1]))
            self._mark(f"file {placed.parent.name}/{placed.name}")
            self.planned = self.planned or placed.name == PLANNED

    def _mark(self, what: str) -> None:
        """End a part."""
        self.parts.append((what, self._entered))
        self._entered = set()

    def _stack(self, frame: FrameType | None) -> Iterator[str]:
        """Our frames from here to the command: where a task or a thread begins, those of whoever
        made it follow, and not those of the loop that runs it."""
        while frame is not None:
            name = self._name(frame.f_code)
            if name is not None:
                yield name
            if frame.f_code.co_name == "_run" and frame.f_code.co_filename.endswith(_LOOP):
                task = asyncio.current_task()
                if task is not None and task in self._creators:
                    yield from self._creators[task]
                    return
            frame = frame.f_back
        yield from getattr(self._thread, "creator", ())

    def _follow_tasks(self) -> None:
        """Remember of every task who made it."""
        make: Callable[..., asyncio.Task[Any]] = asyncio.BaseEventLoop.create_task

        def create_task(loop: Any, coro: Any, **more: Any) -> asyncio.Task[Any]:
            task = make(loop, coro, **more)
            self._creators[task] = tuple(self._stack(sys._getframe()))
            return task

        setattr(asyncio.BaseEventLoop, "create_task", create_task)  # noqa: B010 - for mypy

    def _follow_threads(self) -> None:
        """Remember of every piece of work in a thread who gave it."""
        submit: Callable[..., Future[Any]] = ThreadPoolExecutor.submit
        start = threading.Thread.start

        def submitted(pool: Any, work: Callable[..., Any], /, *given: Any, **more: Any) -> Any:
            creator = tuple(self._stack(sys._getframe()))

            def run(*given: Any, **more: Any) -> Any:
                self._thread.creator = creator
                return work(*given, **more)

            return submit(pool, run, *given, **more)

        def started(thread: threading.Thread) -> None:
            creator, run = tuple(self._stack(sys._getframe())), thread.run

            def running() -> None:
                self._thread.creator = creator
                run()

            setattr(thread, "run", running)  # noqa: B010 - for mypy
            start(thread)

        setattr(ThreadPoolExecutor, "submit", submitted)  # noqa: B010 - for mypy
        setattr(threading.Thread, "start", started)  # noqa: B010 - for mypy


def main(source: str, report: str, *words: str) -> None:
    """Run the command line, watched to its very end."""
    watch = Watch(Path(source))
    leave = os._exit

    def left(code: int) -> None:
        watch.report(Path(report))
        leave(code)

    setattr(os, "_exit", left)  # noqa: B010 - for mypy
    sys.argv = ["libriscribe2", *words]
    watch.begin()
    try:
        runpy.run_module("libriscribe2", run_name="__main__", alter_sys=True)
    finally:
        watch.report(Path(report))


if __name__ == "__main__":
    main(*sys.argv[1:])
