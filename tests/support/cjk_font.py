"""Whether Chinese and Japanese can be set; where CI runs they have to."""

import os
import shutil
import subprocess

import pytest


def _has_font() -> bool:
    program = shutil.which("fc-list")
    return program is not None and bool(subprocess.check_output([program, ":lang=ja"]))


needs_cjk_font = pytest.mark.skipif(
    not os.environ.get("CI") and not _has_font(), reason="no font has Chinese and Japanese"
)
