"""Architecture lists as people write them."""

from __future__ import annotations

import pytest

from musa_build.environment.sdk import ALL, KNOWN, MusaArch, parse_arch_list
from musa_build.environment.settings import Value
from musa_build.errors import ArchError


def names(text: str, *cards: MusaArch) -> list[str]:
    return [arch.name for arch in parse_arch_list(Value(text, "TORCH_MUSA_ARCH_LIST"), lambda: cards)]


@pytest.mark.parametrize("text", ["21;22", "21,22", "22 21", " mp_22 ;; 2.1 ", "MP_21;22;22", "21;\t22;"])
def test_spellings(text: str) -> None:
    assert names(text) == ["mp_21", "mp_22"]


def test_words() -> None:
    assert names("all") == [arch.name for arch in ALL] == ["mp_21", "mp_22", "mp_31"]
    assert names("native", MusaArch(3, 1), MusaArch(3, 1)) == ["mp_31"]
    assert names("native;10", MusaArch(2, 2)) == ["mp_10", "mp_22"]


def test_cards_are_asked_for_native_alone() -> None:
    def no_cards() -> tuple[MusaArch, ...]:
        raise AssertionError("asked")

    assert parse_arch_list(Value("all;10", "x"), no_cards)


@pytest.mark.parametrize("text", ["sm_80", "99", "2", "22x", "2..2", "mp_", ";", ""])
def test_nonsense_is_one_error_that_names_its_variable(text: str) -> None:
    with pytest.raises(ArchError) as caught:
        names(text)
    assert str(caught.value).startswith("TORCH_MUSA_ARCH_LIST names")
    assert "[MB202]" in str(caught.value) and "\n" not in str(caught.value)


def test_native_without_a_card() -> None:
    with pytest.raises(ArchError, match="no MUSA card"):
        names("native")


def test_numbers() -> None:
    figures = {arch.name: (arch.macro, arch.warp_size) for arch in KNOWN}
    assert figures["mp_21"] == (210, 128)
    assert figures["mp_22"] == (220, 128)
    assert figures["mp_31"] == (310, 32)
