"""`python -m musa_build.porting`: SimplePorting from a shell, with the options that torch_musa's README shows."""

from __future__ import annotations

import argparse
import json
import logging
import sys
from collections.abc import Sequence
from typing import Optional

from musa_build.errors import MusaBuildError, PortingError
from musa_build.porting.simple_porting import SimplePorting


def main(argv: Optional[Sequence[str]] = None, prog: str = "python -m musa_build.porting") -> int:
    """Port a tree as `argv` (default: the process's) tells. Returns the exit code: 0, or 2 after one line of error."""
    options = _parser(prog).parse_args(argv)
    logging.basicConfig(level=logging.INFO, format="%(levelname)s: %(message)s", stream=sys.stderr)
    try:
        SimplePorting(
            options.cuda_dir_path,
            ignore_dir_paths=read_list(options.ignore_dir_paths),
            mapping_rule=read_mapping(options.mapping_rule),
            drop_default_mapping=options.drop_default_mapping,
            mapping_dir_path=options.mapping_dir_path,
        ).run()
    except MusaBuildError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


def _parser(prog: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=prog, description="Port a folder of CUDA sources into <folder>_musa, beside it. The sources are only read."
    )
    parser.add_argument("--cuda-dir-path", required=True, metavar="DIR", help="the folder to port")
    parser.add_argument(
        "--ignore-dir-paths", nargs="+", default=[], metavar="JSON", help='folders to leave out: \'["csrc/npu"]\''
    )
    parser.add_argument(
        "--mapping-rule", nargs="+", default=[], metavar="JSON", help='rules of your own: \'{"cuda": "musa"}\''
    )
    parser.add_argument("--drop-default-mapping", action="store_true", help="use only your own rules")
    parser.add_argument("--mapping-dir-path", metavar="DIR", help="a folder of JSON files with rules of your own")
    return parser


def read_list(words: Sequence[str]) -> list[str]:
    """`["a", "b"]` as JSON, or as a shell leaves it when it was not quoted: `[a,`, `b]`."""
    text = " ".join(words)
    if not text:
        return []
    try:
        value = json.loads(text)
    except ValueError:
        if text.startswith("[") and not text.endswith("]"):
            raise _bad_option("--ignore-dir-paths", text, '["csrc/npu", "csrc/mlu"]') from None
        return [item for item in (part.strip() for part in text.strip("[]").split(",")) if item]
    if not (isinstance(value, list) and all(isinstance(item, str) for item in value)):
        raise _bad_option("--ignore-dir-paths", text, '["csrc/npu", "csrc/mlu"]')
    return value


def read_mapping(words: Sequence[str]) -> dict[str, str]:
    """`{"a": "b"}` as JSON, or as a shell leaves it when it was not quoted: `{a:b}`, or the words `a:b`, `c:d`."""
    text = " ".join(words)
    if not text:
        return {}
    try:
        value = json.loads(text)
    except ValueError:
        # bash expands unquoted braces that hold a comma into one word per pair.
        pairs = text[1:-1].split(",") if text.startswith("{") and text.endswith("}") else words
        return dict(_bare_pair(text, pair) for pair in pairs)
    if not isinstance(value, dict):
        raise _bad_option("--mapping-rule", text, '{"cuda": "musa"}')
    return value


def _bare_pair(text: str, pair: str) -> tuple[str, str]:
    find, colon, replace = pair.partition(":")
    # A quotation mark means that JSON was meant, and is broken; and A::B:C could be cut in two ways.
    if not (find and colon) or ":" in replace or '"' in pair:
        raise _bad_option("--mapping-rule", text, '{"cuda": "musa"}')
    return find.strip(), replace.strip()


def _bad_option(option: str, found: str, wanted: str) -> PortingError:
    return PortingError(
        f"{option} cannot be read", found=found, wanted=wanted, hint=f"put it in single quotes: {option} '{wanted}'"
    )


if __name__ == "__main__":
    sys.exit(main())
