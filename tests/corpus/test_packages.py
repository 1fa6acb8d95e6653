"""Real packages from the package index: ported, built with MUSAExtension, run on `musa` and compared with the CPU."""

from __future__ import annotations

import pytest

from .conftest import BuildPackage, Check
from .packages import DISCOUNTED_CUMSUM, FAST_TRANSFORMERS, TORCH_SCATTER

WARPS = pytest.mark.parametrize("warp", [32, 128])


@WARPS
def test_discounted_cumsum(built: BuildPackage, check: Check, warp: int) -> None:
    check("check_discounted_cumsum.py", built(DISCOUNTED_CUMSUM), warp)


@pytest.mark.whole_corpus
@WARPS
def test_torch_scatter(built: BuildPackage, check: Check, warp: int) -> None:
    check("check_torch_scatter.py", built(TORCH_SCATTER), warp)


@pytest.mark.whole_corpus
@WARPS
def test_fast_transformers(built: BuildPackage, check: Check, warp: int) -> None:
    check("check_fast_transformers.py", built(FAST_TRANSFORMERS), warp)
