"""argparse's help in the style of the other commands, whose help click writes (decision 25)."""

from __future__ import annotations

import argparse
import sys
from typing import NoReturn, Optional

_WIDTH = 78  # fixed: for the terminal's, argparse would load shutil, zlib, bz2 and lzma every time


class _Formatter(argparse.RawDescriptionHelpFormatter):
    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=_WIDTH, max_help_position=30)

    def start_section(self, heading: Optional[str]) -> None:
        super().start_section(heading and heading[0].upper() + heading[1:])

    def _format_text(self, text: str) -> str:
        return super()._format_text("\n".join(f"  {line}".rstrip() for line in text.splitlines()))

    def _get_help_string(self, action: argparse.Action) -> str:
        """Return the help as a sentence."""
        text = "Show this message and exit" if action.option_strings[:1] == ["-h"] else action.help or ""
        return f"{text[0].upper()}{text[1:]}."


class Parser(argparse.ArgumentParser):
    """A parser whose help and mistakes look like click's.

    `arguments` is what the usage line has after the options.
    """

    def __init__(self, prog: str, arguments: str, description: str, epilog: str) -> None:
        super().__init__(
            prog,
            usage=f"%(prog)s [OPTIONS] {arguments}".rstrip(),
            description=description,
            epilog=epilog,
            formatter_class=_Formatter,
        )

    def format_help(self) -> str:
        """Return the help, which begins with `Usage`."""
        return super().format_help().replace("usage: ", "Usage: ", 1)

    def error(self, message: str) -> NoReturn:
        """Print a mistake, and how to get help. Exit with 2."""
        usage = self.format_usage().replace("usage: ", "Usage: ", 1)
        print(f"{usage}Try '{self.prog} --help' for help.\n\nError: {message}", file=sys.stderr)
        raise SystemExit(2)
