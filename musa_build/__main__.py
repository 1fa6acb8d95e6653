"""Run `musa-build` as `python -m musa_build`."""

from .cli import main

main()
