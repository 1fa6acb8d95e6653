"""`python -m musa_build` is `musa-build`."""

from .cli import main

main()
