"""The folder of a toolkit."""

from __future__ import annotations

import threading
from pathlib import Path

from musa_build.cuda_toolkit.root import toolkit_root
from musa_build.environment.sdk import MusaSdk
from musa_build.system.process import locked


def test_a_toolkit_that_is_there_does_not_wait(toolkit: Path, sdk: MusaSdk) -> None:
    """Another one may be written meanwhile, which takes seconds."""
    found: list[Path] = []
    with locked(toolkit.parent / ".lock"):
        asking = threading.Thread(target=lambda: found.append(toolkit_root(sdk)), daemon=True)
        asking.start()
        asking.join(60)
        assert found == [toolkit]
