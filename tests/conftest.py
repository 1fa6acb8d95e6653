"""Fixtures that every suite shares."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

# Failed assertions in helpers show their values, as in tests (Debian's Python has imported its own
# sitecustomize by now).
_HELPERS = [
    path.stem for path in Path(__file__).parent.rglob("*.py") if not path.name.startswith(("test_", "conftest"))
]
pytest.register_assert_rewrite("tests", *sorted({*_HELPERS} - {"__init__", "__main__", "sitecustomize"}))

from cmake_program import cmake_program  # noqa: E402,F401  a fixture for all suites
from fresh_environment import built_wheels, fresh_environment  # noqa: E402,F401  fixtures for all suites
from imported_to_collect import IMPORTED_TO_COLLECT  # noqa: E402
from kept_programs import kept_programs  # noqa: E402,F401  a fixture for all suites
from longest_first import longest_first  # noqa: E402
from once_per_run import once_per_run  # noqa: E402,F401  a fixture for all suites
from slow_parts import leave_out_other_parts  # noqa: E402

_HERE = Path(__file__).parent.parts
_DEPTH = len(_HERE)
# Folders of tests of compiled code: the backend, and packages that are built. `make unit` runs without them.
_COMPILED = {*((*_HERE, name) for name in ("backend", "corpus", "kernels")), (*_HERE[:-1], "backend", "tests")}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slow-part", default="", help="of the slow tests run one part: 2/5 is the second of five")


def pytest_configure() -> None:
    """Let Ctrl-C end what tests start, also where a shell made it ignored because they run in the background."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def sim_sdk_root() -> Path:
    """The simulated MUSA SDK, laid out once per content and shared by all tests.

    MUSA_TEST_SDK names another one: `musa-build verify` runs these suites with a real SDK.
    """
    if os.environ.get("MUSA_TEST_SDK"):
        return Path(os.environ["MUSA_TEST_SDK"])
    run = subprocess.run([sys.executable, "-m", "musa_sim", "root"], capture_output=True, text=True, check=False)
    if run.returncode:
        pytest.fail(f"the simulated SDK could not be laid out:\n{run.stderr}", pytrace=False)
    return Path(run.stdout.strip())


@pytest.fixture(scope="session")
def kernel_library() -> None:
    """Skip where the library was not built: it takes minutes, so `make test` does without."""
    import torch

    if torch.musa.operator_kinds()["aten::mul.out"] != "native":
        pytest.skip("the kernel library is not installed: make kernels")


def pytest_collection_finish(session: pytest.Session) -> None:
    """Note the modules that the tests import before any has run (tests/test_collection.py)."""
    session.config.stash[IMPORTED_TO_COLLECT] = frozenset(sys.modules)


@pytest.hookimpl(hookwrapper=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> Iterator[None]:
    """Mark the tests of compiled code; what takes minutes waits to be asked for."""
    whole_corpus = os.environ.get("MUSA_BUILD_CORPUS") == "1"
    for item in items:
        if " at 0x" in item.nodeid:
            raise pytest.UsageError(f"{item.nodeid} has an address in its name: tests in parallel need the same names")
        if item.get_closest_marker("whole_corpus") and not whole_corpus:
            item.add_marker(pytest.mark.skip(reason="takes minutes: set MUSA_BUILD_CORPUS=1, or `make corpus`"))
        if "sim_sdk_root" in getattr(item, "fixturenames", ()) or item.path.parts[: _DEPTH + 1] in _COMPILED:
            item.add_marker(pytest.mark.compiles)
    yield
    part = config.getoption("--slow-part")
    if part:
        leave_out_other_parts(config, items, part)
    if "PYTEST_XDIST_WORKER_COUNT" in os.environ:
        named = [(item.nodeid, item) for item in items]
        items[:] = longest_first(named, int(os.environ["PYTEST_XDIST_WORKER_COUNT"]))
