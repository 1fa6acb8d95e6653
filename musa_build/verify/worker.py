"""Run one probe in a process of its own, which may crash.

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
from .assumptions import all_assumptions
from .probe_context import ProbeContext
from .verdict import UndecidedError, Verdict, undecided


def main(row_id: str, scratch: str, result: str) -> None:
    """Run the probe of one assumption and write its verdict."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # which ends the programs of the probe, too
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    row = next(row for row in all_assumptions() if row.id == row_id)
    context = ProbeContext(
        MusaSdk.at(Path(os.environ["MUSA_HOME"]), "MUSA_HOME"), Path(scratch), limit=float(os.environ["VERIFY_LIMIT"])
    )
    Path(result).write_text(json.dumps(_verdict(row.probe, context).as_json), encoding="utf-8")


def _end_with(parent: int) -> None:
    """End this process when its parent has ended, for whatever reason."""
    while os.getppid() == parent:
        time.sleep(0.5)
    os.kill(os.getpid(), signal.SIGTERM)


def _verdict(probe: object, context: ProbeContext) -> Verdict:
    assert callable(probe)
    try:
        verdict = probe(context)
        assert isinstance(verdict, Verdict)
        return verdict
    except UndecidedError as error:
        return undecided(str(error))
    except MusaBuildError as error:
        return undecided(f"the probe stopped: {error}")
    except Exception as error:  # a probe may meet anything on an unknown machine: the other probes continue
        traceback.print_exc()
        return undecided(f"the probe failed: {type(error).__name__}: {error}")


if __name__ == "__main__":
    main(*sys.argv[1:])
