"""PyTorch's database of operators: the first sample of each operator and type; `make opinfo` compares all.

The tests import it themselves: it takes longer to import than all other tests to collect.
"""

from __future__ import annotations

import copy

import pytest
import torch

TYPES = ("float32", "float16", "bfloat16", "int64", "bool", "complex64")


@pytest.mark.parametrize("dtype", TYPES)
def test_operators_agree_with_the_cpu(dtype: str) -> None:
    from .opinfo.__main__ import forbidden, jobs
    from .opinfo.workers import Settings, outcomes

    failed, samples = [], 0
    for job, outcome in outcomes(jobs(None, dtype), Settings(samples=1, gradients=dtype == "float32")):
        samples += outcome.samples
        wrong = outcome.problems + [f"fallback: {name}" for name in forbidden(outcome, strict=False)]
        failed += [f"{job.operator} {job.dtype}: {problem}" for problem in wrong]
    assert samples > 100
    assert not failed, "\n".join(failed)


def test_differences_are_reported() -> None:
    from .opinfo.catalogue import operators
    from .opinfo.examine import examine

    op = copy.copy(operators()["exp"])
    op.op = lambda x: x.exp() + (x.device.type == "musa")
    outcome = examine(op, torch.float32, most=1, gradients=False)
    assert "sample 0: Tensor-likes are not close" in outcome.problems[0]


def test_another_distribution_is_reported() -> None:
    from .opinfo.catalogue import operators
    from .opinfo.examine import examine

    op = copy.copy(operators()["randn"])
    op.op = lambda *size, **options: torch.randn(100, **options) * (2 if options["device"] == "musa" else 1)
    outcome = examine(op, torch.float32, most=1, gradients=False)
    assert "another distribution" in outcome.problems[0]


def test_a_timeout_is_reported() -> None:
    from .opinfo.__main__ import jobs
    from .opinfo.workers import Settings, outcomes

    ((_, outcome),) = outcomes(jobs("exp", "float32"), Settings(samples=1, gradients=False), seconds=-59.9)
    assert outcome.problems == ["not done in time"]
