"""Write the lines of the log that say why a build plans its commands again, and why ninja repeats a step.

The decisions are made elsewhere: incremental.py (`Fingerprint`) plans again, and ninja repeats a step for its command,
its inputs or its stamp files (`with_stamps` in graph.py). This module compares the facts afterwards.

A build with nothing to do does not import this module.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional, Union

from ..logger_util import LOGGER
from ..system import files

if TYPE_CHECKING:
    from .plan import BuildPlan

#: The facts of the last fingerprint, beside graph.json. Only a build that plans again reads it.
FINGERPRINT_FILE = "fingerprint.json"
#: The folder of stamp files in a build directory (see graph.py), and the file in it with step_environment().
STAMPS = "stamps"
ENVIRONMENT_STAMP = "environment.txt"
_FEW = 3  # the number of changes that a line of the log names
_SHORT = 80  # longer values are omitted
#: The parts of a fingerprint, in words.
_PARTS = {
    "python": "Python",
    "python_build": "Python's build variables (sysconfig)",
    "engine": "musa_build",
    "packages": "installed package",
    "programs": "compiler or linker",
    "launcher": "launcher",
    "sdk": "SDK",
    "cards": "cards of this machine",
    "settings": "[tool.musa-build]",
    "environment": "environment variable",
    "directory": "project directory",
    "options": "option of build_ext",
    "compiler": "setuptools' command",
    "extensions": "extension",
    "outputs": "destination",
    "porting": "porting manifest",
}
_IDENTITY = re.compile(r"(?:no )?(/.*?)(?: \d+ \d+)?")  # of system.files.identity
_EXPLANATIONS = (
    (re.compile(r"output (?P<output>.+) doesn't exist"), "it is missing"),
    (re.compile(r"(?:output|recorded mtime of) (?P<output>.+) older than most recent input (?P<input>.+) \(.*"), ""),
    (re.compile(r"command line changed for (?P<output>.+)"), "its command changed"),
    (re.compile(r"command line not found in log for (?P<output>.+)"), "ninja's log has no record of it"),
    (re.compile(r"deps for '(?P<output>.+)' are missing"), "the record of its headers is missing"),
    (re.compile(r"stored deps info out of date for '(?P<output>.+)' \(.*"), "the record of its headers is out of date"),
)
_MISSING_INPUT = re.compile("(.+) is dirty")  # of a file that no step makes


def save_facts(facts: Mapping[str, Any], directory: Path) -> None:
    """Keep the facts of a graph for the build that finds others."""
    files.write_if_changed(directory / FINGERPRINT_FILE, _as_json(facts))


def log_planning(state_file: Path, taken: Union[Mapping[str, Any], str]) -> None:
    """Log why a build cannot use the graph of `state_file`, if there is one.

    `taken` are the facts of the build's fingerprint, or why it has none.
    """
    state = _read(state_file)
    if not state:
        return
    if isinstance(taken, str):
        LOGGER.info("the commands are planned again: %s", taken)
    else:
        changes = _changed_facts(_read(state_file.with_name(FINGERPRINT_FILE)), taken)
        changes += [f"file {path}" for path, old in state["watched"].items() if files.identity(Path(path)) != old]
        LOGGER.info("the commands are planned again; changed: %s", _first(changes, "; ") or "the state of the build")


def _read(path: Path) -> Any:
    """Return the content of a JSON file; empty if there is none."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


def _changed_facts(before: Mapping[str, Any], facts: Mapping[str, Any]) -> list[str]:
    after = json.loads(_as_json(facts))
    if before.keys() != after.keys():
        return ["no record of the last plan"]
    return [change for part in after for change in _part_changes(_PARTS[part], before[part], after[part])]


def _as_json(facts: Mapping[str, Any]) -> str:
    return json.dumps(facts, indent=1)


def _part_changes(words: str, before: Any, after: Any) -> list[str]:
    """Return the changes of one part: a text, a list of texts, or a list of names with values."""
    if before == after:
        return []
    if not isinstance(before, list) or not isinstance(after, list):
        return [f"{words}{_values(before, after)}"]
    changed = [item for item in (*before, *after) if item not in before or item not in after]
    if changed and isinstance(changed[0], list):
        old, new = dict(before), dict(after)
        return [
            f"{words} {name}{_values(old.get(name), new.get(name))}" for name in dict.fromkeys(n for n, _ in changed)
        ]
    paths = (_IDENTITY.fullmatch(item) for item in changed)
    names = dict.fromkeys(path[1] if path else item for path, item in zip(paths, changed))
    return [f"{words} {name}" for name in names] or [f"{words} (order)"]


def _values(before: Optional[str], after: Optional[str]) -> str:
    """Return both values in brackets, if they are short."""
    old, new = ("not set" if value is None else value or '""' for value in (before, after))
    return f" ({old} -> {new})" if len(old) + len(new) < _SHORT else ""


def _first(items: Sequence[str], separator: str) -> str:
    more = [f"and {len(items) - _FEW} more"] if len(items) > _FEW else []
    return separator.join([*items[:_FEW], *more])


def log_changed_flags(written: Path, plan: BuildPlan) -> None:
    """Log which flags of sources differ from those in `written`, the compile_commands.json of the last plan."""
    before = {entry["output"]: entry["arguments"] for entry in _read(written)}
    groups: dict[str, list[str]] = {}
    for step in plan.compiles:
        old, new = before.get(step.output, step.command), step.command
        if list(old) != list(new):
            added = [flag for flag in new if flag not in old]
            removed = [flag for flag in old if flag not in new]
            parts = [f"{what} {' '.join(flags)}" for what, flags in (("added", added), ("removed", removed)) if flags]
            groups.setdefault(", ".join(parts) or "another order", []).append(step.source)
    for change, sources in groups.items():
        LOGGER.info("changed flags of %s: %s", _first(sources, ", "), change)


class StepReasons:
    """Log why ninja repeats steps: each reason once, or with `verbose` each step.

    Args:
        descriptions: The names of steps, by the paths of their outputs as ninja prints them.
        log: The log of ninja, with the outputs of earlier builds.
        verbose: Log each step.
    """

    def __init__(self, descriptions: Mapping[str, str], log: str, verbose: bool) -> None:
        self._descriptions = descriptions
        self._log = log
        self._verbose = verbose
        self._logged: set[str] = set()

    def log(self, explanation: str) -> None:
        """Log one explanation of ninja, unless its output is new or only follows another step."""
        missing = _MISSING_INPUT.fullmatch(explanation)
        if missing and missing[1] not in self._descriptions:
            self._log_once("what includes it", f"{missing[1]} is missing")
        for pattern, words in _EXPLANATIONS:
            match = pattern.fullmatch(explanation)
            if match and match["output"] in self._descriptions and f"\t{match['output']}\t" in self._log:
                self._log_once(self._descriptions[match["output"]], words or _newer(match["input"]))

    def _log_once(self, step: str, reason: str) -> None:
        if self._verbose or reason not in self._logged:
            self._logged.add(reason)
            LOGGER.info("%s is built again: %s", step, reason)


def _newer(path: str) -> str:
    """Name an input that is newer than an output; for a stamp file (see graph.py) its entries."""
    if path.endswith(".libraries.txt"):
        return "a file that its link looks for changed"
    if Path(path).parent.name != STAMPS:
        folder = f"{Path.cwd()}/"
        return f"{path[len(folder) :] if path.startswith(folder) else path} is newer"
    if Path(path).name == ENVIRONMENT_STAMP:
        return "Python, torch, the SDK or a variable that compilers read changed"
    return f"the program {Path(path).stem.rpartition('-')[0]} changed"
