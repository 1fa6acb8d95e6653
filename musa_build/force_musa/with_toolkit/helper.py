"""Prepare a build with the toolkit, and judge its wheel: `python -I -m musa_build.force_musa.with_toolkit.helper`.

The build system's process asks by lines of JSON, first for the preparation, then for the judgement of the wheel. The
working directory is the project's. This process locks the build directory until its standard input ends.
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import MusaBuildError
from ..build_environment import locked_build_directory
from .evidence import finished_wheel

if TYPE_CHECKING:
    from .preparation import Preparation


def main() -> int:
    """Answer the questions. Return the exit status: 1 after an error."""
    question = _read()
    if question is None:
        return 0
    from .preparation import Question, locate  # not above: the chain of imports is long, and this process may end here

    try:
        with ExitStack() as held:
            plan = locate(Path.cwd(), Question.from_json(question))
            held.enter_context(locked_build_directory(plan.state, in_cache=plan.in_cache))
            preparation = plan.carry_out(os.environ)
            _write(preparation.answer)
            request = _read()
            if request is not None:
                _write({"wheel": _finish(preparation, Path(request["wheel"]))})
    except MusaBuildError as error:
        print(f"error: FORCE_MUSA=1: {error.block}", file=sys.stderr, flush=True)
        return 1
    return 0


def _finish(preparation: Preparation, wheel: Path) -> str:
    try:
        return finished_wheel(wheel, preparation).name
    except MusaBuildError:
        wheel.unlink(missing_ok=True)
        raise


def _read() -> Any:
    line = sys.stdin.readline()
    return json.loads(line) if line.strip() else None


def _write(answer: Any) -> None:
    print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    sys.exit(main())
