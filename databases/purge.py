"""``make purge``: removes the data that private databases keep outside of their folders.

They do so if root runs them (``databases.root_homes``). Data in use stays.
"""

from __future__ import annotations

import argparse
import sys
from typing import List

from databases import root_homes
from databases.home import folder


def main(argv: List[str]) -> int:
    """Run the command; return 1 if data is in use."""
    parser = argparse.ArgumentParser("python -m databases.purge", description=__doc__)
    parser.add_argument("--all", action="store_true", help="of every project on this machine")
    options = parser.parse_args(argv)
    return 1 if root_homes.remove(None if options.all else folder("postgres").parent) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
