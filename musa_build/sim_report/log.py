"""The log of findings that the simulator's runtime writes (MUSA_SIM_CHECK_LOG): one JSON object per line."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

_LOCATION = re.compile(r"\bat ([^\n]*?):(\d+)(?::(\d+))?(?=,| and |;|\n|$)")


@dataclass(frozen=True)
class SourceLocation:
    """A position in a source. `path` is the one in the compiler's command; lines and columns count from 1."""

    path: str
    line: int
    column: int


@dataclass(frozen=True)
class Finding:
    """One defect: the check that found it, the simulator's message, and the number of times."""

    kind: str
    headline: str
    details: tuple[str, ...]
    places: tuple[SourceLocation, ...]
    times: int
    programs: tuple[str, ...]


def read_log(text: str) -> tuple[Finding, ...]:
    """Return the findings of a log, in the order in which they were reported.

    Several processes may have written it. Equal findings of several processes are one. A line that was cut off, because
    its process was killed, is left out.
    """
    entries = [entry for line in text.splitlines() if (entry := _entry(line))]
    by_message: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for entry in entries:
        if "headline" in entry:
            by_message.setdefault((entry["headline"], entry["details"]), []).append(entry)
    counts = [entry for entry in entries if "times" in entry]
    return tuple(_finding(headline, details, same, counts) for (headline, details), same in by_message.items())


def _entry(line: str) -> Mapping[str, Any]:
    try:
        entry = json.loads(line)
    except ValueError:
        return {}
    return entry if isinstance(entry, dict) else {}


def _finding(
    headline: str, details: str, same: Iterable[Mapping[str, Any]], counts: Iterable[Mapping[str, Any]]
) -> Finding:
    processes = Counter((entry["program"], entry["process"]) for entry in same)
    kind = headline.partition(":")[0]
    text = f"{headline}\n{details}"
    times = sum(
        count["times"]
        for count in counts
        if count["kind"] == kind
        and (count["program"], count["process"]) in processes
        and all(part in text for part in count["place"].split(" and "))
    )
    return Finding(
        kind=kind,
        headline=headline.partition(": ")[2],
        details=tuple(line.strip() for line in details.splitlines() if line.strip()),
        places=tuple(
            dict.fromkeys(
                SourceLocation(path, int(line), int(column or 0)) for path, line, column in _LOCATION.findall(text)
            )
        ),
        times=max(times, sum(processes.values())),  # a process that crashed has written no number
        programs=tuple(sorted({program for program, _ in processes})),
    )
