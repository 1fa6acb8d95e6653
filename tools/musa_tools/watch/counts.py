"""The table at the end of a tool's log."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field


@dataclass
class Counts:
    """The number of outcomes of each kind, by operator."""

    by_operator: dict[str, Counter[str]] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)

    def add(self, operator: str, outcome: str, reason: str = "") -> None:
        """Count one call."""
        counter = self.by_operator.get(operator)
        if counter is None:
            counter = self.by_operator[operator] = Counter()
        counter[outcome] += 1
        if reason:
            self.reasons.setdefault(f"{operator}: {outcome}", reason)

    def total(self, outcome: str) -> int:
        """Return the number of calls with an outcome."""
        return sum(counter[outcome] for counter in self.by_operator.values())

    def table(self, title: str, calls: int, outcomes: tuple[str, ...], unmatched: list[str]) -> str:
        """Return the table: every operator that had anything but success, and the totals."""
        totals = ", ".join(f"{self.total(outcome)} {outcome}" for outcome in outcomes)
        lines = [f"{title}: {calls} calls of operators: {totals}"]
        for operator, counter in sorted(self.by_operator.items()):
            shown = [f"{counter[outcome]} {outcome}" for outcome in outcomes if counter[outcome]]
            if set(counter) - {"passed", "skipped", "passed on"}:
                lines.append(f"  {operator}: {', '.join(shown)}")
        lines += [f"  {key}: {reason}" for key, reason in sorted(self.reasons.items())]
        lines += [f"  no operator was called {name!r}" for name in unmatched]
        return "\n".join(lines)
