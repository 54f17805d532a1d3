"""The race harness: scenario, servers, load, meters, saved results, statistics, report."""

import sys
from pathlib import Path

# A wheel has the rest of the project in here (setup.py). It goes before what is installed beside it
# and before the working directory, which may have a `databases` or `handlers` of their own.
_SUITE = Path(__file__).resolve().with_name("_suite")
if _SUITE.is_dir():
    sys.path.insert(0, str(_SUITE))
