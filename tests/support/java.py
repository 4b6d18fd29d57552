"""Whether epubcheck can run; where CI runs it has to."""

import os
import shutil

import pytest

needs_java = pytest.mark.skipif(
    shutil.which("java") is None and not os.environ.get("CI"), reason="epubcheck needs Java"
)
