"""`python -m musa_sim root|env`: print the path of the simulated SDK, or the exports that select it."""

from __future__ import annotations

import argparse
import shlex
import sys

from .mcc.errors import DriverError
from .sdk_root import sdk_root


def main(argv: list[str] | None = None) -> int:
    """Print the SDK's path or the exports that select it; 0, or 1 with one line that says what is missing."""
    parser = argparse.ArgumentParser(
        prog="python -m musa_sim",
        description="A MUSA SDK that runs on the CPU.",
        epilog='examples:  "$(python -m musa_sim root)"/bin/mcc --version     eval "$(python -m musa_sim env)"',
    )
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("root", help="lay the SDK out if needed and print its path")
    commands.add_parser("env", help="print the shell exports that make it the SDK in use")
    wanted = parser.parse_args(argv).command
    try:
        root = sdk_root()
    except DriverError as error:
        print(f"musa_sim: error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    if wanted == "root":
        print(root)
    else:
        print(f"export MUSA_HOME={shlex.quote(str(root))}")
        print(f'export PATH={shlex.quote(str(root / "bin"))}:"$PATH"')
    return 0


if __name__ == "__main__":
    sys.exit(main())
