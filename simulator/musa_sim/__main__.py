"""`python -m musa_sim`: print the path of the simulated SDK, the exports that select it, or the path of its cache.

`python -m musa_sim libraries` compiles the SDK's libraries ahead of the rest: that takes a minute, and needs no clang.
"""

from __future__ import annotations

import argparse
import shlex
import sys

from .mcc.errors import DriverError
from .sdk_root import cache_dir, compiled_libraries, sdk_root
from .terminal import show

_EPILOG = """Examples:
  "$(python -m musa_sim root)"/bin/mcc --version
  eval "$(python -m musa_sim env)"

Exit status: 0 on success, 1 on an error, 2 for wrong usage, 130 if interrupted.
"""


class _Parser(argparse.ArgumentParser):
    def format_help(self) -> str:
        """Return the help in the style of the other commands."""
        return super().format_help().replace("usage: ", "Usage: ", 1)


def main(argv: list[str] | None = None) -> int:
    """Print the SDK's path, exports, libraries or cache; return 0, or 1 after a block that names what is missing."""
    parser = _Parser(
        prog="python -m musa_sim",
        usage="%(prog)s [OPTIONS] COMMAND",
        description="  A MUSA SDK that runs on the CPU.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        add_help=False,
    )
    parser.add_argument_group("Options").add_argument("-h", "--help", action="help", help="Show this message and exit.")
    commands = parser.add_subparsers(dest="command", required=True, title="Commands", metavar="COMMAND")
    commands.add_parser("root", help="Lay the SDK out if needed and print its path.")
    commands.add_parser("env", help="Print the shell exports that make it the SDK in use.")
    commands.add_parser("libraries", help="Compile its libraries, for which g++ is enough, and print their folder.")
    commands.add_parser("cache", help="Print the folder that all of them are in.")
    wanted = parser.parse_args(argv).command
    if wanted == "cache":
        print(cache_dir())
        return 0
    try:
        made = compiled_libraries() if wanted == "libraries" else sdk_root()
    except DriverError as error:
        show(error)
        return 1
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    if wanted == "env":
        print(f"export MUSA_HOME={shlex.quote(str(made))}")
        print(f'export PATH={shlex.quote(str(made / "bin"))}:"$PATH"')
    else:
        print(made)
    return 0


if __name__ == "__main__":
    sys.exit(main())
