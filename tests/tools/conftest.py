"""Fixtures of the tests of musa_tools: devices, and operators with planted faults."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Callable

import pytest
import torch

from musa_tools.observe.modules import TRACKER


@pytest.fixture(params=["cpu", pytest.param("musa", marks=pytest.mark.compiles)])
def device(request: pytest.FixtureRequest) -> str:
    """Each device that a tool is tried on; `musa` is compiled code, so `make unit` goes without it."""
    if request.param == "musa":
        import torch_musa  # noqa: F401
    return str(request.param)


@pytest.fixture
def musa() -> str:
    """The simulated device: there a fault can be planted that the CPU has not."""
    import torch_musa  # noqa: F401

    return "musa"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "musa" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.compiles)


@pytest.fixture
def planted() -> Iterator[Callable[..., Any]]:
    """Returns a function that defines an operator with a kernel for the CPU and another for `musa`."""
    library = torch.library.Library("planted", "FRAGMENT")

    def define(schema: str, cpu: Callable[..., Any], musa: Callable[..., Any]) -> Any:
        library.define(schema)
        name = schema.partition("(")[0]
        library.impl(name, cpu, "CPU")
        library.impl(name, musa, "PrivateUse1")
        return getattr(torch.ops.planted, name)

    yield define
    library._destroy()


@pytest.fixture(autouse=True)
def no_tracked_models() -> Iterator[None]:
    """End the tracking of models that a test has begun."""
    yield
    for model in list(TRACKER._models()):
        TRACKER.close(model)
