"""Fixtures that give a test a real package: fetched, ported, built, and importable.

MUSA_BUILD_CORPUS=1 runs all; without it only a small slice runs, so that `make test` stays quick.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Protocol

import pytest
from sdists import CACHE, Unavailable

from musa_build.system.process import locked

from .forced import run_script
from .packages import Package
from .sources import source_tree, write_python

HERE = Path(__file__).parent
BuildPackage = Callable[[Package], Path]


@pytest.fixture(scope="session")
def fetched() -> BuildPackage:
    """Fetch and port a package: its folder. Skips where it cannot be downloaded."""

    def fetch(package: Package) -> Path:
        try:
            return source_tree(package)
        except Unavailable as error:
            pytest.skip(str(error))

    return fetch


@pytest.fixture(scope="session")
def built(fetched: BuildPackage, sim_sdk_root: Path) -> BuildPackage:
    """Build a package with MUSAExtension: the folder to import it from. Objects are kept between runs."""

    def build(package: Package) -> Path:
        tree = fetched(package)
        folder = CACHE / "build" / f"{package.name}-{package.version}"
        command = [sys.executable, str(HERE / "build_extensions.py"), package.name, "--quiet", "build_ext"]
        command += ["--build-lib", str(folder / "lib"), "--build-temp", str(folder / "temp")]
        environment = {**os.environ, "MUSA_HOME": str(sim_sdk_root), "TORCH_MUSA_ARCH_LIST": "22"}
        with locked(folder.with_suffix(".lock")):
            done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
            write_python(package, tree, folder / "lib")
        return folder / "lib"

    return build


class Check(Protocol):
    """Runs one of the check_*.py scripts in a fresh Python: they compare `musa` with the CPU, and must succeed."""

    def __call__(
        self, script: str, library: Path, warp: int, variables: Mapping[str, str] = MappingProxyType({})
    ) -> None: ...


@pytest.fixture
def check() -> Check:
    """The width of a warp is settled when a process starts: hence the other process."""

    def run(script: str, library: Path, warp: int, variables: Mapping[str, str] = MappingProxyType({})) -> None:
        done = run_script(script, library, warp, variables)
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-6000:]

    return run
