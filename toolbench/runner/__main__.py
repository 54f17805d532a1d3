"""``python -m toolbench.runner``: run one of Python's drivers."""

from __future__ import annotations

import sys

from toolbench.runner.protocol import serve
from toolbench.runner.session import DriverSession

if __name__ == "__main__":
    sys.exit(serve(DriverSession()))
