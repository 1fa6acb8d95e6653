"""Translate one CUDA source text to MUSA. Pure: no file is read or written."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple, Optional

from .announced_cuda import DEFAULT_EMULATED_CUDA
from .edits import ARCH_GUARD, GCC_GUARD, INCLUDE, NAME_PATTERN, VERSION_GUARD, Edit, occurrences
from .hazards import (
    ADDRESS_IDENTIFIERS,
    ASM_IDENTIFIERS,
    CUTLASS_IDENTIFIERS,
    DEVICE_IDENTIFIERS,
    HAZARD_IDENTIFIERS,
)
from .identifiers import Classifier, IdentifierIndex, absent_in_simulator
from .rewrites import (
    ARCH,
    GCC,
    GUARD_IDENTIFIERS,
    IDIOM_CONTEXT,
    IDIOM_IDENTIFIERS,
    arch_guards,
    gcc_guards,
    has_idioms_without_names,
    idioms_of,
    version_guards,
    version_values,
)
from .rules import Origin
from .scanner import Include, Layout, SpanKind, scan

if TYPE_CHECKING:
    from .edits import Remark
    from .inline_ptx.rewrite import Outcome
    from .rewrites import Guard
    from .rules import Rule, RuleSet

# Returns the new path of an #include that names a file of the ported tree, and None for any other include.
ResolveInclude = Callable[[Include], Optional[str]]

_OF_PTX = ASM_IDENTIFIERS | ADDRESS_IDENTIFIERS
_TRIGGERS = CUTLASS_IDENTIFIERS | GUARD_IDENTIFIERS | IDIOM_IDENTIFIERS | DEVICE_IDENTIFIERS | _OF_PTX
_CONTEXT = HAZARD_IDENTIFIERS | IDIOM_CONTEXT


class Translator:
    """Everything that decides how a text is ported: one for all files of a run.

    `included_kinds` are ported like code (comments, literals). `versions` are the values that CUDA's version macros get
    (by default those of DEFAULT_EMULATED_CUDA); an empty mapping leaves the macros alone.
    """

    def __init__(
        self,
        rules: RuleSet,
        included_kinds: frozenset[SpanKind] = frozenset(),
        versions: Optional[Mapping[str, int]] = None,
    ) -> None:
        self.rules: Final = rules
        self.included_kinds: Final = included_kinds
        self.versions: Final = version_values(DEFAULT_EMULATED_CUDA) if versions is None else versions

    @cached_property
    def classifier(self) -> Classifier:
        """The classes of all identifiers so far."""
        return Classifier(self.rules, _TRIGGERS, _CONTEXT)

    @cached_property
    def absent_in_simulator(self) -> frozenset[str]:
        """The names of CUDA whose counterpart the simulated SDK does not have."""
        return absent_in_simulator()

    @property
    def fingerprint(self) -> list[str]:
        """The texts that differ between two translators that may translate a text differently."""
        parts = [f"{rule.origin}\0{rule.find}\0{rule.replace}" for rule in self.rules.user_rules]
        parts += sorted(kind.value for kind in self.included_kinds)
        parts += [f"{name}={value}" for name, value in sorted(self.versions.items())]
        return [*parts, str(self.rules.has_defaults)]

    def unused_rules(self, used: Iterable[str]) -> tuple[str, ...]:
        """Return the texts of the rules that the user gave one by one and that are not among `used`."""
        known = frozenset(used)
        return tuple(
            rule.find.encode("latin-1").decode("utf-8", "replace")
            for rule in self.rules.user_rules
            if rule.origin is Origin.USER and rule.find not in known
        )

    def index(self, contents: Iterable[bytes]) -> list[IdentifierIndex]:
        """Index and classify the identifiers of some texts: many at once cost half of one after the other."""
        indexes = [IdentifierIndex(content) for content in contents]
        self.classifier.classify(indexes)
        return indexes


def translator_for(
    rules: RuleSet, include_comments: bool = False, include_strings: bool = False, emulated: Optional[str] = None
) -> Translator:
    """Make the translator for some options. `emulated` is a CUDA version; None leaves version macros alone.

    Raises:
        PortingError: `emulated` is not a version.
    """
    included = {SpanKind.COMMENT: include_comments, SpanKind.STRING: include_strings}
    versions = {} if emulated is None else version_values(emulated)
    return Translator(rules, frozenset(kind for kind, include in included.items() if include), versions)


class Translation(NamedTuple):
    """A ported text and how it came about.

    `identifiers` are the relevant ones of `identifier_index`, none when nothing in it concerns porting; `used_rules`
    are the texts of the user's rules that matched; `remarks` are for findings; `assembly` are the outcomes
    for asm statements.
    """

    source: str
    identifiers: frozenset[str]
    identifier_index: IdentifierIndex
    layout: Layout
    edits: tuple[Edit, ...] = ()
    used_rules: frozenset[str] = frozenset()
    remarks: tuple[Remark, ...] = ()
    assembly: tuple[Outcome, ...] = ()

    @property
    def text(self) -> str:
        """The source with all edits made."""
        return apply_edits(self.source, self.edits) if self.edits else self.source


class _Candidate(NamedTuple):
    """An edit that some rule asks for; `rule` is set for user rules. The smaller of two candidates wins."""

    origin: Origin
    start: int
    minus_end: int
    edit: Edit
    rule: str = ""


def translate(
    content: bytes, translator: Translator, resolve_include: ResolveInclude, index: Optional[IdentifierIndex] = None
) -> Translation:
    """Port one source text. `index` is the result of `translator.index` for it, if that was called before.

    The text is handled as Latin-1, one character per byte, so that no byte is ever lost. Comments and literals stay as
    they are, except for `translator.included_kinds`: a match must begin in code.
    """
    if index is None:
        (index,) = translator.index([content])
    identifiers = translator.classifier.relevant(index)
    text = content.decode("latin-1")
    without_identifier = translator.rules.rules_without_identifier
    if not (identifiers or has_idioms_without_names(text) or any(rule.find in text for rule in without_identifier)):
        return Translation(text, identifiers, index, Layout())
    layout = scan(text)
    ported = layout.without(translator.included_kinds) if translator.included_kinds else layout
    idioms = idioms_of(layout, identifiers, index, translator.rules, translator.classifier.renames)
    from_rules = list(_from_rules(text, identifiers, index, ported, translator.rules))
    headers = list(_from_includes(layout, translator.rules, resolve_include))
    fragments = _fragments(text, from_rules, headers) if translator.rules.user_rules else frozenset()
    candidates = [
        *(candidate for candidate in from_rules if candidate not in fragments),
        *_from_name_patterns(identifiers, index, ported, translator.classifier),
        *_from_pattern_rules(ported, identifiers, index, translator.rules),
        *_from_guards(identifiers, layout, translator),
        *(_Candidate(Origin.DEFAULT, edit.start, -edit.end, edit) for edit in idioms.edits),
        *headers,
    ]
    if SpanKind.STRING in translator.included_kinds and translator.rules.has_defaults:
        from .named_strings import literal_edits  # few runs port strings

        lookups = translator.rules.new_name, translator.rules.header
        candidates += (_default(*edit, NAME_PATTERN) for edit in literal_edits(layout, identifiers, index, *lookups))
    if SpanKind.COMMENT in translator.included_kinds:
        candidates += _from_pattern_rules(layout, identifiers, index, translator.rules)
    accepted = _without_overlaps(candidates, idioms.kept, text)
    edits = tuple(sorted(candidate.edit for candidate in accepted))
    used = frozenset(candidate.rule for candidate in (*accepted, *fragments) if candidate.rule)
    if translator.rules.has_defaults and not identifiers.isdisjoint(_OF_PTX):
        from .inline_ptx.rewrite import rewrite  # few trees have inline PTX: the others do not load this

        edits, assembly = rewrite(text, layout, index, edits)
        return Translation(text, identifiers, index, layout, edits, used, idioms.remarks, assembly)
    return Translation(text, identifiers, index, layout, edits, used, idioms.remarks)


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """Return `text` with all `edits` made. Edits must not overlap; their order does not matter."""
    pieces: list[str] = []
    position = 0
    for edit in sorted(edits):
        if edit.start < position:
            raise ValueError(f"edits overlap at offset {edit.start}")
        pieces += (text[position : edit.start], edit.replacement)
        position = edit.end
    pieces.append(text[position:])
    return "".join(pieces)


def _without_overlaps(
    candidates: list[_Candidate], protected: Iterable[tuple[int, int]], text: str
) -> list[_Candidate]:
    """Return the candidates that can be made together: the user's first, then the leftmost, then the longest.

    Only the user's rules may change `protected` ranges.
    """
    taken = bytearray(len(text) + 1)
    barriers = [_Candidate(Origin.DEFAULT, -1, start - end, Edit(start, end, "", "")) for start, end in protected]
    accepted = []
    for candidate in sorted([*candidates, *barriers]):
        if candidate.start < 0:
            taken[candidate.edit.start : candidate.edit.end] = b"\1" * -candidate.minus_end
            continue
        start, end = candidate.start, -candidate.minus_end
        if taken.find(1, start, end) < 0:
            taken[start:end] = b"\1" * (end - start)
            accepted.append(candidate)
    return accepted


def _default(start: int, end: int, replacement: str, rule: str) -> _Candidate:
    return _Candidate(Origin.DEFAULT, start, -end, Edit(start, end, replacement, rule))


def _from_rules(
    text: str, identifiers: frozenset[str], index: IdentifierIndex, code: Layout, rules: RuleSet
) -> Iterator[_Candidate]:
    by_identifier = rules.rules_by_identifier
    for identifier in identifiers & by_identifier.keys():
        for rule in by_identifier[identifier]:
            offsets = index.offsets(identifier) if rule.find == identifier else occurrences(text, rule.find)
            yield from _from_rule(rule, offsets, code)
    for rule in rules.rules_without_identifier:
        yield from _from_rule(rule, occurrences(text, rule.find), code)


def _from_rule(rule: Rule, offsets: Iterable[int], code: Layout) -> Iterator[_Candidate]:
    length = len(rule.find)
    for start in offsets:
        end = start + length
        if not code.text.startswith(rule.find, start):
            continue  # a literal spells it with escapes
        if rule.origin is not Origin.DEFAULT:
            if code.begins_in_code(start):
                edit = Edit(start, end, rule.replace, f"{rule.source}: {rule.find}")
                yield _Candidate(rule.origin, start, -end, edit, rule.find)
        elif code.is_plain_code(start, end):  # paths of headers have their own table
            yield _default(start, end, rule.replace, f"{rule.source}: {rule.find}")


def _from_name_patterns(
    identifiers: frozenset[str], index: IdentifierIndex, code: Layout, classifier: Classifier
) -> Iterator[_Candidate]:
    renames = classifier.renames
    for identifier in identifiers & renames.keys():
        new, length = renames[identifier], len(identifier)
        for start in index.offsets(identifier):
            if code.is_plain_code(start, start + length) and code.text.startswith(identifier, start):
                yield _default(start, start + length, new, NAME_PATTERN)


_CASE = re.compile(r"\bcase\s+(?:\w+\s*::\s*)*\Z")
_WITHOUT_PATTERN_RULES = frozenset({SpanKind.COMMENT, SpanKind.INCLUDE, SpanKind.EXCLUDED})
_MOST_BEFORE, _MOST_BEHIND = 2000, 400  # characters of a match around an identifier, comments included


def _from_pattern_rules(
    layout: Layout, identifiers: frozenset[str], index: IdentifierIndex, rules: RuleSet
) -> Iterator[_Candidate]:
    """Search each pattern around its identifiers only, from the beginning of the statement."""
    text, by_identifier = layout.text, rules.pattern_rules_by_identifier
    for identifier in identifiers & by_identifier.keys():
        near = [
            pattern_rule
            for pattern_rule in by_identifier[identifier]
            if not (pattern_rule.required_identifiers and identifiers.isdisjoint(pattern_rule.required_identifiers))
        ]
        patterns = [(pattern_rule, re.compile(pattern_rule.pattern)) for pattern_rule in near]
        for at in index.offsets(identifier) if patterns else ():
            if layout.kind_at(at) in _WITHOUT_PATTERN_RULES:
                continue
            after = at + len(identifier)
            if text.startswith("::", after) and text.endswith(("at::", "c10::", "torch::"), 0, at):
                continue  # at::cuda::f, by far the most frequent, has a rule of its own
            if text.startswith(" {", after) and text.endswith("namespace ", 0, at):
                outside = at - len("namespace ")
                if not text[max(0, outside - 40) : outside].rstrip().endswith("{"):
                    continue  # a namespace of no other: none of the patterns is about it
            code, earliest = layout.code, max(0, at - _MOST_BEFORE)
            begin = max(earliest, code.rfind(";", earliest, at) + 1, code.rfind("}", earliest, at) + 1)
            end = after + _MOST_BEHIND
            for pattern_rule, pattern in patterns:
                for match in pattern.finditer(code, begin, end):
                    if match.start() > at:
                        break
                    start, stop = match.span(1)
                    if _CASE.search(code, begin, start) and "PrivateUse1" in code:
                        continue  # with a case PrivateUse1 present, a second one would be an error
                    if start < after and at < stop and layout.begins_in_code(match.start()):
                        yield _default(start, stop, pattern_rule.replace, pattern_rule.source)


def _from_guards(identifiers: frozenset[str], layout: Layout, translator: Translator) -> Iterator[_Candidate]:
    if not translator.rules.has_defaults:
        return
    if ARCH in identifiers:
        yield from _of_guards(arch_guards(layout), layout, ARCH_GUARD)
    if GCC in identifiers:
        yield from _of_guards(gcc_guards(layout.code), layout, GCC_GUARD)
    if translator.versions and not identifiers.isdisjoint(translator.versions):
        yield from _of_guards(version_guards(layout.code, translator.versions), layout, VERSION_GUARD)


def _of_guards(guards: Iterable[Guard], layout: Layout, rule: str) -> Iterator[_Candidate]:
    for guard in guards:
        if guard.replacement is not None and layout.is_plain_code(guard.start, guard.start + 1):
            yield _default(guard.start, guard.end, guard.replacement, rule)


def _from_includes(layout: Layout, rules: RuleSet, resolve_include: ResolveInclude) -> Iterator[_Candidate]:
    for include in layout.includes:
        new = resolve_include(include) or rules.header(include.path)
        if new is not None and new != include.path:
            yield _default(include.start, include.end, new, INCLUDE)


def _fragments(text: str, from_rules: Iterable[_Candidate], headers: Iterable[_Candidate]) -> frozenset[_Candidate]:
    """Return the matches of the user's rules within the path of a known header that do not cover its name.

    Rules such as `/cuda/` or `.cuh` are about paths in general. The tables know more about a header, and applying half
    of each would name a header that does not exist. (torch_musa's tool, for which the manual's rules are written, takes
    the longest rule first.)
    """
    found = set()
    users = [candidate for candidate in from_rules if candidate.rule]
    for header in headers if users else ():
        start, end = header.start, -header.minus_end
        inside = [each for each in users if start <= each.start and -each.minus_end <= end]
        if inside:
            name = start + text[start:end].rfind("/") + 1
            name_end = name + len(text[name:end].partition(".")[0])
            if not any(each.start < name_end and name < -each.minus_end for each in inside):
                found.update(inside)
    return frozenset(found)
