"""The lifetime of static objects: runtime/base/lifetime.h makes each of them, or names it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import musa_sim

RUNTIME = Path(musa_sim.__file__).parent / "runtime"
SOURCES = sorted(path for path in RUNTIME.rglob("*") if path.suffix in (".cpp", ".h"))
OBJECT = re.compile(
    r"^[ ]*(?!extern )(?:[A-Z_]+ )?(?:(?:static|inline) )*(?:static|thread_local) (?!inline)[^(\n]*?\b(\w+)"
    r"(?: MUSA_SIM_INITIAL_EXEC)?(?:\[\w+\])?(?: ?=|\{|;)(.*)$",
    re.M,
)


def objects(path: Path) -> list[tuple[str, str]]:
    """(name, line) of the objects of a source that outlive a call, constants left out."""
    text = path.read_text()
    return [(found[1], found[0]) for found in OBJECT.finditer(text) if "constexpr" not in found[0]]


def test_objects_are_found() -> None:
    found = {name for path in SOURCES for name, _ in objects(path)}
    assert {"mine_", "thread_error", "actions", "once", "__musa_sim_context", "queues", "key"} <= found


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_every_object_is_made_or_named_by_lifetime_h(path: Path) -> None:
    comment = (RUNTIME / "base/lifetime.h").read_text().partition("#pragma once")[0]
    for name, line in objects(path):
        listed = re.search(rf"\b{name}\b[^()]*\([^()]*\b(?:{path.stem}|here)\b", comment)
        assert "leaked<" in line or listed, f"{path.name}: {line.strip()}"
