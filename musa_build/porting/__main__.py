"""`python -m musa_build.porting`: see command_line.py for the options.

A command that has nothing to do is answered before the engine is loaded, hence the late import.
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
    """Port as `argv` (default: the process's) tells. Returns the exit code.

    0: done. 1: --check found something to do, or --verify something unstable. 2: an error, in one line.
    `is_clean` tells whether version control could bring a folder back as it is; without it --in-place asks for
    --allow-dirty.
    """
    from .tree.noop_cache import replay

    arguments = list(sys.argv[1:] if argv is None else argv)
    said = replay(arguments)
    if said is not None:
        sys.stderr.write(said)
        return 0
    from .command_line import run

    return run(arguments, prog, is_clean)


if __name__ == "__main__":
    import gc
    import os

    # Nothing that porting makes is a cycle, and the system takes memory back at once: looking for cycles, and taking
    # every object down at the end, is a twentieth of a run.
    gc.disable()
    code = main()
    sys.stderr.flush()
    os._exit(code)
