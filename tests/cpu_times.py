"""Print which folders, files and tests take most CPU time, the processes that they start included.

    PYTHONPATH=tests python -m pytest -p cpu_times ...

On a machine that does other work too, CPU time says more than wall time.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Generator
from typing import Any

import pytest

_SHOWN = 40
_NAME = "CPU seconds"
_BEGIN = pytest.StashKey[float]()


def _seconds() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    item.stash[_BEGIN] = _seconds()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, None]:
    outcome = yield
    if call.when == "teardown":
        outcome.get_result().user_properties.append((_NAME, _seconds() - item.stash[_BEGIN]))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    reports = [report for some in terminalreporter.stats.values() for report in some]
    times = {
        report.nodeid: dict(report.user_properties)[_NAME]
        for report in reports
        if isinstance(report, pytest.TestReport) and report.when == "teardown"
    }
    terminalreporter.section(f"CPU seconds: {sum(times.values()):.0f} in {len(times)} tests")
    for part_of in (_folder, _file, str):
        sums: Counter[str] = Counter()
        for name, seconds in times.items():
            sums[part_of(name)] += seconds
        for part, seconds in sums.most_common(_SHOWN):
            terminalreporter.line(f"{seconds:8.1f}  {part}")
        terminalreporter.line("")


def _file(name: str) -> str:
    return name.partition("::")[0]


def _folder(name: str) -> str:
    return _file(name).rpartition("/")[0]
