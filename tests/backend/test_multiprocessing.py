"""torch.multiprocessing with musa tensors: both processes see one memory."""

from __future__ import annotations

import pytest

from .conftest import PROGRAMS, RunPython


@pytest.mark.parametrize(
    "function",
    [
        pytest.param("a_view_of_another_device", marks=pytest.mark.slow),
        pytest.param("tensors_of_a_child", marks=pytest.mark.slow),
        "to_itself",
    ],
)
def test_sent_tensors_are_the_senders(function: str, run_python: RunPython) -> None:
    # Children import the main module by its file.
    script = f"import runpy; runpy.run_path({str(PROGRAMS / 'tensors_between_processes.py')!r}, run_name='__main__')"
    done = run_python(script, function, MUSA_SIM_DEVICES="2")
    assert done.returncode == 0, done.stderr
