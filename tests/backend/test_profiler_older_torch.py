"""torch.profiler where PyTorch lets no device bring its own profiler."""

from __future__ import annotations

import pytest

from .conftest import PROGRAMS, RunPython


@pytest.mark.slow
def test_a_pytorch_without_plug_ins_shows_the_cpu_with_one_warning(run_python: RunPython) -> None:
    """Take the path of such a release on this one."""
    done = run_python(PROGRAMS / "profiler_without_events.py")
    assert done.returncode == 0, done.stderr
