"""torch.profiler where PyTorch lets no device bring its own profiler."""

from __future__ import annotations

import pytest

from .conftest import RunPython


@pytest.mark.slow
def test_a_pytorch_without_plug_ins_shows_the_cpu_with_one_warning(run_python: RunPython) -> None:
    """Take the path of such a release on this one."""
    code = """
import torch, warnings
from torch.profiler import ProfilerActivity, profile
from torch_musa.core import profiler
profiler.choose_events(device_events=False)
x = torch.ones(3, device="musa")
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    for activities in ([ProfilerActivity.CPU, ProfilerActivity.MUSA], None):
        with profile(activities=activities) as seen:
            x.neg()
        assert "aten::neg" in [e.name for e in seen.events()]
        assert all(e.device_type.name == "CPU" for e in seen.events())
        seen.key_averages().table(sort_by="self_musa_time_total")
told = [w for w in caught if "no events of musa devices" in str(w.message)]
assert len(told) == 1, [str(w.message) for w in caught]
assert torch.__version__ in str(told[0].message)
"""
    done = run_python(code)
    assert done.returncode == 0, done.stderr
