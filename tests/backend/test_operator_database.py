"""PyTorch's database of operators on the device without the kernel library: the first sample of each, in float32.

`make kernels` compares the kernels of the library in this way, and in more types.
"""

from __future__ import annotations

import pytest


def test_the_first_sample_of_each_operator_agrees_with_the_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    # the database takes longer to import than all other tests to collect
    from kernels.opinfo.__main__ import jobs
    from kernels.opinfo.workers import Settings, outcomes

    monkeypatch.setenv("MUSA_FALLBACK", "prefer")
    failed, samples = [], 0
    for job, outcome in outcomes(jobs(None, "float32"), Settings(samples=1, gradients=False)):
        samples += outcome.samples
        failed += [f"{job.operator}: {problem}" for problem in outcome.problems]
    assert samples > 1000
    assert not failed, "\n".join(failed)
