"""`python -m musa_build.porting`: see command_line.py for the options.

The imports are late because a command that has nothing to do is answered before the engine is loaded.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # typing's own constant costs the import of typing
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path
    from typing import Optional


def main(
    argv: Optional[Sequence[str]] = None,
    prog: str = "python -m musa_build.porting",
    is_clean: Optional[Callable[[Path], bool]] = None,
) -> int:
    """Run the porting command with the arguments `argv` (default: those of the process).

    Args:
        argv: The arguments.
        prog: The command's name in help and errors.
        is_clean: Returns whether version control could restore a folder. Without it, --in-place needs --allow-dirty.

    Returns:
        The exit code: 0 done; 1 --check found something to do, or --verify something unstable; 2 an error.
    """
    from .noop_cache import cached_output

    arguments = list(sys.argv[1:] if argv is None else argv)
    output_text = cached_output(arguments)
    if output_text is not None:
        sys.stderr.write(output_text)
        return 0
    from .command_line import run

    return run(arguments, prog, is_clean)


if __name__ == "__main__":
    import gc
    import os

    # Porting makes no reference cycles, and the system frees the memory of a process at once. Collecting cycles, and
    # destroying every object at the end, would be a twentieth of a run.
    gc.disable()
    code = main()
    sys.stderr.flush()
    os._exit(code)
