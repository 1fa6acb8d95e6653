"""Run one probe in a process of its own, which may die.

python -m musa_build.verify.worker ROW SCRATCH RESULT
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
import traceback
from pathlib import Path

from ..environment.sdk import MusaSdk
from ..errors import MusaBuildError
from .lab import Lab
from .rows import every_row
from .verdict import UndecidedError, Verdict, undecided


def main(row_id: str, scratch: str, result: str) -> None:
    """Run the probe of a row and write its verdict."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # which ends the programs of the probe, too
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    row = next(row for row in every_row() if row.id == row_id)
    lab = Lab(
        MusaSdk.at(Path(os.environ["MUSA_HOME"]), "MUSA_HOME"), Path(scratch), limit=float(os.environ["VERIFY_LIMIT"])
    )
    Path(result).write_text(json.dumps(_verdict(row.probe, lab).as_json), encoding="utf-8")


def _end_with(parent: int) -> None:
    """End this process when its parent is gone, however that ended."""
    while os.getppid() == parent:
        time.sleep(0.5)
    os.kill(os.getpid(), signal.SIGTERM)


def _verdict(probe: object, lab: Lab) -> Verdict:
    assert callable(probe)
    try:
        verdict = probe(lab)
        assert isinstance(verdict, Verdict)
        return verdict
    except UndecidedError as error:
        return undecided(str(error))
    except MusaBuildError as error:
        return undecided(f"the probe stopped: {error}")
    except Exception as error:  # whatever a probe meets on a machine that we do not know, the others go on
        traceback.print_exc()
        return undecided(f"the probe failed: {type(error).__name__}: {error}")


if __name__ == "__main__":
    main(*sys.argv[1:])
