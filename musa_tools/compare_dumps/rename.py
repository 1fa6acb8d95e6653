"""Other names for the calls of a dump, where the two programs call the same thing differently."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from musa_tools.compare_dumps.records import Call, Dump
from musa_tools.errors import ToolError


def renamed(dump: Dump, rules: Sequence[str]) -> Dump:
    """Return a dump with text replaced in the names of its calls and modules.

    Args:
        dump: The dump.
        rules: ``OLD=NEW`` each; NEW may be empty.
    """
    if not rules:
        return dump
    pairs = [_rule(rule) for rule in rules]

    def text(name: str) -> str:
        for old, new in pairs:
            name = name.replace(old, new)
        return name

    def call(each: Call) -> Call:
        return replace(each, base=text(each.base), parent=text(each.parent), layer=text(each.layer))

    runs = tuple(replace(run, calls=tuple(map(call, run.calls))) for run in dump.runs)
    return replace(dump, runs=runs)


def _rule(rule: str) -> tuple[str, str]:
    old, sign, new = rule.partition("=")
    if not sign or not old:
        raise ToolError(f"{rule!r} replaces nothing; wanted OLD=NEW, as module.=")
    return old, new
