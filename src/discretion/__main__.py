"""Run the command line as ``python -m discretion``."""

import sys

from discretion.cli import main

sys.exit(main())
