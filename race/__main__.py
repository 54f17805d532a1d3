"""`python -m race`."""

import sys

from race.cli import main

if __name__ == "__main__":
    sys.exit(main())
