"""The user's selection of operators: names with or without overload, and patterns."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable
from typing import Optional

from musa_tools.observe.op_facts import OpFacts


class Selection:
    """The target list and the white list of a tool."""

    def __init__(self, targets: Optional[Iterable[str]], white: Optional[Iterable[str]]) -> None:
        self.targets = _names("target_list", targets)
        self.white = _names("white_list", white)
        self._matched: set[str] = set()

    def is_target(self, facts: OpFacts) -> bool:
        """Return whether the user selected this operator; without a target list, for every one."""
        return not self.targets or self._match(self.targets, facts)

    def is_white(self, facts: OpFacts) -> bool:
        """Return whether the user wants to pass over this operator. A target list overrides the white list."""
        return not self.targets and self._match(self.white, facts)

    def never_matched(self) -> list[str]:
        """Return the names that no operator had."""
        wanted = self.targets or self.white
        return [pattern for pattern in wanted if pattern not in self._matched]

    def _match(self, patterns: tuple[str, ...], facts: OpFacts) -> bool:
        found = False
        for pattern in patterns:
            full = pattern if pattern.startswith("torch.ops.") else f"torch.ops.{pattern}"
            names = (facts.name, facts.family, f"{facts.family}.default")
            if any(fnmatch.fnmatchcase(name, full) for name in names):
                self._matched.add(pattern)
                found = True
        return found


def _names(parameter: str, names: Optional[Iterable[str]]) -> tuple[str, ...]:
    if names is None:
        return ()
    if isinstance(names, str):
        raise TypeError(f"{parameter} needs a list of names, but found the string {names!r}: write [{names!r}]")
    return tuple(str(name) for name in names)
