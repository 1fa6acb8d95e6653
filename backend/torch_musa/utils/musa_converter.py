"""The converter of scripts, under torch_musa's name; also a command, with `python -m`. It lives in musa_tools."""

import sys

from musa_tools.convert.command_line import main

__all__ = ["main"]

if __name__ == "__main__":
    sys.exit(main())
