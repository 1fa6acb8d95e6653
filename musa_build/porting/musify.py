"""`musify-text` of the MUSA SDK, with this package's rules: texts are replaced, in comments and strings too.

    python -m musa_build.porting.musify [-t | -c | -i] [-d {c2m,m2c}] [-m FILE ...] [--clear-mapping] [--] FILE ...

It is a command line that public build scripts call. `musa-build port` understands the code instead.
"""

from __future__ import annotations

import argparse
import logging
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Optional

from ..errors import PortingError
from ..system.files import replace_atomically
from .engine.rules import rule_set
from .text_pairs import text_pairs

_WORD = re.compile(r"\w+", re.ASCII)
_MARK = re.compile(r"MUSIFY_EXCL_(?:START|STOP|LINE)")


class Replacement:
    """Replaces whole words, and texts with other characters where no word continues at their ends."""

    def __init__(self, pairs: Mapping[str, str]) -> None:
        words = {old: new for old, new in pairs.items() if _WORD.fullmatch(old)}
        texts = sorted((old for old in pairs if old not in words), key=len, reverse=True)
        self._new = pairs
        self._pattern = re.compile("|".join([*map(_bounded, texts), r"\w+"]), re.ASCII)

    def __call__(self, text: str) -> str:
        """Return `text` with MUSA's names."""
        return self._pattern.sub(lambda match: self._new.get(match[0], match[0]), text)


def _bounded(text: str) -> str:
    left = r"(?<!\w)" if _WORD.match(text[0]) else ""
    right = r"(?!\w)" if _WORD.match(text[-1]) else ""
    return left + re.escape(text) + right


def musified(text: str, replace: Replacement) -> str:
    """Return `text` with its names replaced, but for lines that MUSIFY_EXCL_LINE, _START and _STOP exclude."""
    return "".join(line if excluded else replace(line) for line, excluded in _lines(text))


def _lines(text: str) -> Iterator[tuple[str, bool]]:
    """Yield each line, and whether it is excluded."""
    inside = False
    for line in text.splitlines(keepends=True):
        marks = _MARK.findall(line)
        yield line, inside or bool(marks)
        if marks and not marks[-1].endswith("LINE"):
            inside = marks[-1].endswith("START")


def pairs_for(mappings: Sequence[Path], default: bool, direction: str) -> dict[str, str]:
    """Return {text: its replacement}.

    Raises:
        PortingError: A mapping cannot be read.
    """
    pairs = {old: new for old, new in text_pairs(rule_set(default=default, files=mappings)).items() if old != new}
    return pairs if direction == "c2m" else {new: old for old, new in pairs.items()}


def main(argv: Optional[Sequence[str]] = None) -> int:
    """Run the command. Returns its exit code."""
    parser = argparse.ArgumentParser("musify-text", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("srcs", nargs="*", type=Path, help="source files to be transformed")
    output = parser.add_mutually_exclusive_group()
    output.add_argument("-t", "--terminal", action="store_true", help="print code to stdout")
    output.add_argument("-c", "--create", action="store_true", help="write code to FILE.mt, the default")
    output.add_argument("-i", "--inplace", action="store_true", help="modify code inplace")
    parser.add_argument("-d", "--direction", choices=("c2m", "m2c"), default="c2m", help="convert direction")
    parser.add_argument(
        "-m", "--mapping", nargs="*", action="extend", type=Path, default=[], help="JSON files of further names"
    )
    parser.add_argument("--clear-mapping", action="store_true", help="leave the default mapping out")
    parser.add_argument("-l", "--log-level", choices=("DEBUG", "INFO", "WARNING"), default="INFO")
    arguments = parser.parse_args(argv)
    logging.basicConfig(level=arguments.log_level, format="[%(levelname)s] %(message)s")
    try:
        replace = Replacement(pairs_for(arguments.mapping, not arguments.clear_mapping, arguments.direction))
        for path in arguments.srcs:
            logging.info("Processing file: %s", path)
            new = musified(path.read_bytes().decode("latin-1"), replace).encode("latin-1")
            if arguments.terminal:
                sys.stdout.buffer.write(new)
            else:
                target = path if arguments.inplace else path.with_name(f"{path.name}.mt")
                replace_atomically(target, new)
    except (PortingError, OSError) as error:
        print(f"musify-text: error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
