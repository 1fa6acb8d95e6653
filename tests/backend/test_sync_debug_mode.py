"""torch.musa.set_sync_debug_mode: what makes the host wait for a device is found before it costs time on a card."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator

import pytest
import torch
from torch import Tensor

WAITING: dict[str, Callable[[Tensor], object]] = {
    "item": lambda x: x[0].item(),
    "if": lambda x: bool(x[0] > 0),
    "to the CPU": lambda x: x.cpu(),
    "from the CPU": lambda x: torch.ones(3).to("musa"),
    "nonzero": lambda x: x.nonzero(),
    "a mask as an index": lambda x: x[x > 0],
    "unique": lambda x: x.unique(),
    "equal": lambda x: torch.equal(x, x),
}
NOT_WAITING: dict[str, Callable[[Tensor], object]] = {
    "arithmetic": lambda x: (x + 1).sum(),
    "a slice": lambda x: x[1:] * 2,
    "within the device": lambda x: x.clone(),
    "from page-locked memory": lambda x: torch.ones(3, pin_memory=True).to("musa", non_blocking=True),
    "an explicit wait": lambda x: torch.musa.synchronize(),
}


@pytest.fixture(autouse=True)
def mode_ends() -> Iterator[None]:
    yield
    torch.musa.set_sync_debug_mode("default")


@pytest.mark.parametrize("name", WAITING)
def test_waits_are_errors_or_warnings(name: str) -> None:
    x = torch.arange(4.0, device="musa")
    torch.musa.set_sync_debug_mode("error")
    with pytest.raises(RuntimeError, match="called a synchronizing MUSA operation"):
        WAITING[name](x)
    torch.musa.set_sync_debug_mode("warn")
    with pytest.warns(UserWarning, match="called a synchronizing MUSA operation"):
        WAITING[name](x)
    torch.musa.set_sync_debug_mode("default")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        WAITING[name](x)


@pytest.mark.parametrize("name", NOT_WAITING)
def test_the_rest_is_silent(name: str) -> None:
    x = torch.arange(4.0, device="musa")
    torch.musa.set_sync_debug_mode("error")
    NOT_WAITING[name](x)


def test_the_mode_is_a_word_or_a_number() -> None:
    for number, word in enumerate(("default", "warn", "error")):
        torch.musa.set_sync_debug_mode(word)
        assert torch.musa.get_sync_debug_mode() == number
        torch.musa.set_sync_debug_mode(0)
        torch.musa.set_sync_debug_mode(number)
        assert torch.musa.get_sync_debug_mode() == number
    for wrong in ("some", 3):
        with pytest.raises(RuntimeError, match="expected one of `default`, `warn`, `error`"):
            torch.musa.set_sync_debug_mode(wrong)
