"""The same packages by `FORCE_MUSA=1 pip install`: their own setup.py, and nothing of ours between."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from sdists import CACHE

from .conftest import Check
from .forced import CHECK_VARIABLES, PACKAGES, WRITTEN_FOR_32, Unreachable, install

pytestmark = pytest.mark.whole_corpus


@pytest.fixture(scope="session")
def installed(sim_sdk_root: Path) -> Callable[[str], Path]:
    """pip-install a requirement from the index, from source: the folder to import it from. Its objects are kept."""
    done: dict[str, Path] = {}

    def folder_of(requirement: str) -> Path:
        if requirement not in done:
            folder = CACHE / "forced" / requirement
            try:
                install(requirement, folder, sim_sdk_root)
            except Unreachable as error:
                pytest.skip(str(error))
            done[requirement] = folder
        return done[requirement]

    return folder_of


@pytest.mark.parametrize("warp", [32, 128])
@pytest.mark.parametrize(("requirement", "script"), PACKAGES.items())
def test_unmodified(installed: Callable[[str], Path], check: Check, requirement: str, script: str, warp: int) -> None:
    if warp == 128 and requirement in WRITTEN_FOR_32:
        with pytest.raises(AssertionError, match=WRITTEN_FOR_32[requirement]):
            check(script, installed(requirement), warp, CHECK_VARIABLES)
    else:
        check(script, installed(requirement), warp, CHECK_VARIABLES)
