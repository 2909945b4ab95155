"""`python -m lab` is `lab`."""

import sys

from lab.cli import main

if __name__ == "__main__":  # worker processes import this file too
    sys.exit(main())
