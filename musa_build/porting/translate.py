"""One CUDA source text becomes one MUSA source text: pure, no file is touched here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Optional

from musa_build.porting.edits import Edit, apply_edits
from musa_build.porting.guards import arch_guards
from musa_build.porting.rules import Origin, Rule, RuleSet
from musa_build.porting.scanner import WORD, Include, Layout, OffsetSet, scan

# Answers with the new path of an #include that names a file of the ported tree, or with None for any other include.
ResolveInclude = Callable[[Include], Optional[str]]

FAMILY, GUARD, INCLUDE = "family", "arch-guard", "include"


@dataclass(frozen=True)
class Translation:
    """A ported text, how it came about, and which of the user's rules were of use."""

    source: str
    layout: Layout
    edits: tuple[Edit, ...]
    used_rules: frozenset[Rule]

    @property
    def text(self) -> str:
        """The source with all edits made."""
        return apply_edits(self.source, self.edits)

    def line_of(self, offset: int) -> int:
        """The line, from 1, on which `source[offset]` stands."""
        return self.source.count("\n", 0, offset) + 1


@dataclass(frozen=True)
class _Candidate:
    """An edit that some rule asks for; `rule` is set for user rules."""

    edit: Edit
    origin: Origin
    rule: Optional[Rule] = None


def translate(text: str, rules: RuleSet, resolve_include: ResolveInclude) -> Translation:
    """Port one source `text` (Latin-1: one character per byte, so that no byte is ever lost).

    Comments and literals stay as they are: a match must begin in code.
    """
    layout = scan(text)
    accepted = _without_overlaps(
        [
            *_from_rules(text, layout, rules),
            *_from_families(text, layout, rules),
            *_from_phrases(text, layout, rules),
            *_from_guards(text, layout, rules),
            *_from_includes(layout, rules, resolve_include),
        ],
        len(text),
    )
    edits = sorted((candidate.edit for candidate in accepted), key=lambda edit: edit.start)
    used = frozenset(candidate.rule for candidate in accepted if candidate.rule is not None)
    return Translation(text, layout, tuple(edits), used)


def new_include_path(include: Include, rules: RuleSet, resolve_include: ResolveInclude) -> Optional[str]:
    """What to include instead; the same path when it is right as it is; None when nothing is known about it."""
    return resolve_include(include) or rules.headers.get(include.path)


def _without_overlaps(candidates: Iterable[_Candidate], length: int) -> list[_Candidate]:
    """Those candidates that can be made together: the user's first, then the leftmost, then the longest."""
    taken = OffsetSet(length)
    accepted = []
    for candidate in sorted(candidates, key=lambda c: (c.origin, c.edit.start, -c.edit.end)):
        if not taken.touches(candidate.edit.start, candidate.edit.end):
            taken.add(candidate.edit.start, candidate.edit.end)
            accepted.append(candidate)
    return accepted


def _from_rules(text: str, layout: Layout, rules: RuleSet) -> Iterator[_Candidate]:
    for hit in rules.hits(text):
        edit = Edit(hit.start, hit.end, hit.rule.replace, f"{hit.rule.source}: {hit.rule.find}")
        if hit.rule.origin is not Origin.DEFAULT:
            if layout.begins_in_code(hit.start):
                yield _Candidate(edit, hit.rule.origin, hit.rule)
        elif layout.is_plain_code(hit.start, hit.end):  # paths of headers have their own table
            yield _Candidate(edit, Origin.DEFAULT)


def _from_families(text: str, layout: Layout, rules: RuleSet) -> Iterator[_Candidate]:
    renames: dict[str, Optional[str]] = {}
    for word in WORD.finditer(text):
        name = word[0]
        if name not in renames:
            renames[name] = rules.renamed(name)
        new = renames[name]
        if new is not None and layout.is_plain_code(word.start(), word.end()):
            yield _Candidate(Edit(word.start(), word.end(), new, FAMILY), Origin.DEFAULT)


def _from_phrases(text: str, layout: Layout, rules: RuleSet) -> Iterator[_Candidate]:
    for phrase in rules.tables.phrases:
        for match in phrase.pattern.finditer(text):
            if match[1] is not None and layout.begins_in_code(match.start()):
                yield _Candidate(Edit(match.start(1), match.end(1), phrase.replace, phrase.source), Origin.DEFAULT)


def _from_guards(text: str, layout: Layout, rules: RuleSet) -> Iterator[_Candidate]:
    if not rules.tables.families:  # the user dropped the defaults
        return
    for guard in arch_guards(text):
        if guard.replacement is not None and layout.is_plain_code(guard.start, guard.end):
            yield _Candidate(Edit(guard.start, guard.end, guard.replacement, GUARD), Origin.DEFAULT)


def _from_includes(layout: Layout, rules: RuleSet, resolve_include: ResolveInclude) -> Iterator[_Candidate]:
    for include in layout.includes:
        new = new_include_path(include, rules, resolve_include)
        if new is not None and new != include.path:
            yield _Candidate(Edit(include.start, include.end, new, INCLUDE), Origin.DEFAULT)
