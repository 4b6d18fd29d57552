"""Runs commands in processes that need no time to start: each is forked from one with all imports.

`python -m tests.support.forked_cli` reads one JSON object per line and answers each with one:
`{"start": {...}}` with `{"pid": N}`, `{"look": N}` with `{"over": false}`, `{"wait": N}` with
`{"code": C}` (negative for a signal). With the argument `litellm`, LiteLLM is imported as well.
"""

import ctypes
import gc
import importlib
import json
import os
import pkgutil
import signal
import sys
from collections.abc import Mapping
from typing import Any, Final

import libriscribe2
from libriscribe2.cli import main
from libriscribe2.llm.litellm_library import load_litellm

_PR_SET_PDEATHSIG: Final = 1
_NOT_AHEAD: Final = ("libriscribe2.__main__", "libriscribe2.llm.litellm_library")


def serve() -> None:
    """Carry out orders until nobody gives any more."""
    import_all()
    if "litellm" in sys.argv:
        load_litellm()
    gc.freeze()
    for line in sys.stdin:
        order = json.loads(line)
        answer: dict[str, Any]
        if "start" in order:
            answer = {"pid": start(order["start"])}
        elif "look" in order:
            how = os.WEXITED | os.WNOHANG | os.WNOWAIT
            answer = {"over": os.waitid(os.P_PID, order["look"], how) is not None}
        else:
            _, status = os.waitpid(order["wait"], 0)
            answer = {"code": os.waitstatus_to_exitcode(status)}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


def import_all() -> None:
    """Import every module of the program that needs no LiteLLM."""
    for module in pkgutil.walk_packages(libriscribe2.__path__, "libriscribe2."):
        if module.name not in _NOT_AHEAD:
            importlib.import_module(module.name)


def start(order: Mapping[str, Any]) -> int:
    """Fork a process that carries out one command; return its id."""
    pid = os.fork()
    if pid == 0:
        try:
            run(order)
        finally:
            os._exit(70)
    if order["conditions"]["stops"]:
        os.waitpid(pid, os.WUNTRACED)
    return pid


def run(order: Mapping[str, Any]) -> None:
    """Become the process of a command."""
    from tests.support.conditions import Conditions  # noqa: PLC0415 - after the fork

    os.setsid()
    if sys.platform == "linux":  # nobody is left behind where the tests themselves are killed
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    os.chdir(order["cwd"])
    os.environ.clear()
    os.environ.update(order["env"])
    for descriptor, path in ((1, order["out"]), (2, order["err"])):
        opened = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(opened, descriptor)
        os.close(opened)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    sys.argv = ["libriscribe2", *order["arguments"]]
    conditions = {**order["conditions"], "clock": tuple(map(tuple, order["conditions"]["clock"]))}
    Conditions(**conditions).take_effect()
    main()


if __name__ == "__main__":
    serve()
