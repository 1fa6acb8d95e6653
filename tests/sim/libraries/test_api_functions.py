"""Every function that torch_musa's mapping promises exists, and works or says that it is not simulated."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from api_functions import APIS, PAGE, Api, functions, page, refused

CALL_ALL = """
import ctypes, sys
library = ctypes.CDLL(sys.argv[1])
for name in sys.argv[2:]:
    print(name, getattr(library, name)())
"""


@pytest.mark.parametrize("api", APIS, ids=lambda api: api.title)
def test_all_exist(sim_sdk_root: Path, api: Api) -> None:
    found = functions(sim_sdk_root, api)
    assert found.absent == []
    assert len(found.works) > 200 and len(found.works) > 2 * len(found.refused)


@pytest.mark.parametrize("api", APIS, ids=lambda api: api.title)
def test_what_is_not_simulated_returns_the_error_and_says_so_once(sim_sdk_root: Path, api: Api) -> None:
    names = sorted(refused(sim_sdk_root, api))
    clean = {name: value for name, value in os.environ.items() if not name.startswith("MUSA_")}
    run = subprocess.run(
        [sys.executable, "-c", CALL_ALL, f"{sim_sdk_root}/lib/lib{api.library}.so", *names, *names],
        capture_output=True,
        text=True,
        check=True,
        env=clean,
    )
    assert run.stdout.splitlines() == [f"{name} 801" for name in (*names, *names)]
    assert run.stderr.splitlines() == [f"[musa-sim] {name} is not simulated: it returns {api.error}" for name in names]


def test_the_page_is_that_of_the_libraries(sim_sdk_root: Path) -> None:
    assert PAGE.read_text() == page(sim_sdk_root), "run: python tests/sim/libraries/api_functions.py"
