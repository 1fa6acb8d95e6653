"""A plug-in for pytest: writes a line of JSON for each test, so that a crash or a hang loses no other test."""

from __future__ import annotations

import json
import os
import re
import signal
import sys
from pathlib import Path
from types import ModuleType
from typing import Optional

import pytest


def pytest_configure(config: pytest.Config) -> None:
    """Let torchvision be imported where its compiled part does not fit torch: its models need none of that."""
    try:
        import torchvision  # noqa: F401
    except ImportError:
        return
    except RuntimeError as error:
        if "torchvision::nms" not in str(error):
            raise
        for name in [name for name in sys.modules if name.partition(".")[0] == "torchvision"]:
            del sys.modules[name]
        sys.modules["torchvision._meta_registrations"] = ModuleType("torchvision._meta_registrations")


def write(*facts: str) -> None:
    with Path(os.environ["PEER_OUTCOMES"]).open("a", encoding="utf-8") as stream:
        stream.write(json.dumps(facts) + "\n")


def pytest_runtest_logstart(nodeid: str) -> None:
    write(nodeid, "started", "")
    signal.setitimer(signal.ITIMER_REAL, float(os.environ["PEER_TIMEOUT"]))  # ends the process: nothing handles it


def pytest_runtest_logfinish() -> None:
    signal.setitimer(signal.ITIMER_REAL, 0)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.when == "call" or report.outcome != "passed":
        write(report.nodeid, report.outcome, said(report))


def pytest_collectreport(report: pytest.CollectReport) -> None:
    if report.failed:
        write(report.nodeid, "failed", f"cannot be imported: {last_error(str(report.longrepr))}")


def said(report: pytest.TestReport) -> str:
    """Return why a test was skipped, or the error that it failed with."""
    if isinstance(report.longrepr, tuple):
        return report.longrepr[2].removeprefix("Skipped: ")
    crash = getattr(report.longrepr, "reprcrash", None)
    message: Optional[str] = getattr(crash, "message", None)
    return "" if report.outcome == "passed" else (message or last_error(str(report.longrepr)))


def last_error(text: str) -> str:
    errors = re.findall(r"^E +(\w*(?:Error|Exception|Timeout)\b.*)$", text, re.MULTILINE)
    return errors[-1] if errors else text.strip()[-200:]
