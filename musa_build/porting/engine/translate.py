"""One CUDA source text becomes one MUSA source text: pure, no file is touched here."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Final, NamedTuple, Optional

from .classifier import Lexicon
from .device_only import device_only_groups
from .edits import Edit, apply_edits
from .guards import DEFAULT_EMULATED_CUDA, Guard, arch_guards, gcc_guards, version_guards, version_values
from .identifiers import Vocabulary, occurrences
from .older_cxx import rewrites
from .rules import Origin, Rule, RuleSet
from .scanner import Include, Kind, Layout, scan

# Answers with the new path of an #include that names a file of the ported tree, or with None for any other include.
ResolveInclude = Callable[[Include], Optional[str]]

SHAPE, INCLUDE, OLDER_CXX = "shape", "include", "older-cxx"
ARCH_GUARD, VERSION_GUARD, GCC_GUARD = "arch-guard", "version-guard", "gcc-guard"


class Translator:
    """Everything that decides how a text is ported: one for all files of a run.

    `prose` says which spans are ported like code (comments, literals); `versions` are the values that CUDA's version
    macros get (by default those of DEFAULT_EMULATED_CUDA), an empty mapping to leave the macros alone.
    """

    def __init__(
        self, rules: RuleSet, prose: frozenset[Kind] = frozenset(), versions: Optional[Mapping[str, int]] = None
    ) -> None:
        self.rules: Final = rules
        self.prose: Final = prose
        self.versions: Final = version_values(DEFAULT_EMULATED_CUDA) if versions is None else versions

    @cached_property
    def lexicon(self) -> Lexicon:
        """What the rules think of each word met so far."""
        return Lexicon(self.rules)


class Translation(NamedTuple):
    """A ported text, how it came about, and what it was about.

    `words` are the relevant ones of the source's `vocabulary`, none when nothing in it concerns porting; `used_rules`
    are the texts of the user's rules that were of use; `protected` are the offsets of lines that were left alone on
    purpose.
    """

    source: str
    words: frozenset[str]
    vocabulary: Vocabulary
    layout: Layout
    edits: tuple[Edit, ...] = ()
    used_rules: frozenset[str] = frozenset()
    protected: tuple[int, ...] = ()

    @property
    def text(self) -> str:
        """The source with all edits made."""
        return apply_edits(self.source, self.edits) if self.edits else self.source


class _Candidate(NamedTuple):
    """An edit that some rule asks for; `rule` is set for user rules. Sorts by who wins: the smaller."""

    origin: Origin
    start: int
    minus_end: int
    edit: Edit
    rule: str = ""


def translate(
    content: bytes, translator: Translator, resolve_include: ResolveInclude, vocabulary: Optional[Vocabulary] = None
) -> Translation:
    """Port one source text. Its `vocabulary` may be given once the translator's lexicon has learnt it.

    The text is handled as Latin-1, one character per byte, so that no byte is ever lost. Comments and literals stay as
    they are (unless `translator.prose` says otherwise): a match must begin in code.
    """
    if vocabulary is None:
        vocabulary = Vocabulary(content)
        translator.lexicon.learn([vocabulary])
    words = translator.lexicon.relevant(vocabulary)
    text = content.decode("latin-1")
    if not words and not any(rule.find in text for rule in translator.rules.rules_without_word):
        return Translation(text, words, vocabulary, Layout())
    layout = scan(text)
    code = layout.without(translator.prose) if translator.prose else layout
    protected = tuple(_self_defines(text, words, translator.lexicon))
    from_rules = list(_from_rules(text, words, vocabulary, code, translator.rules))
    headers = list(_from_includes(layout, translator.rules, resolve_include))
    fragments = _fragments(text, from_rules, headers) if translator.rules.user_rules else frozenset()
    candidates = [
        *(candidate for candidate in from_rules if candidate not in fragments),
        *_from_shapes(words, vocabulary, code, translator.lexicon),
        *_from_phrases(text, words, vocabulary, code, translator.rules),
        *_from_guards(text, words, layout, translator),
        *_from_older_cxx(text, words, vocabulary, layout, translator),
        *headers,
    ]
    accepted = _without_overlaps(candidates, protected, text)
    edits = tuple(sorted(candidate.edit for candidate in accepted))
    used = frozenset(candidate.rule for candidate in (*accepted, *fragments) if candidate.rule)
    return Translation(text, words, vocabulary, layout, edits, used, tuple(offset for offset, _ in protected))


def new_include_path(include: Include, rules: RuleSet, resolve_include: ResolveInclude) -> Optional[str]:
    """What to include instead; the same path when it is right as it is; None when nothing is known about it."""
    return resolve_include(include) or rules.header(include.path)


def _without_overlaps(
    candidates: list[_Candidate], protected: Iterable[tuple[int, int]], text: str
) -> list[_Candidate]:
    """Those candidates that can be made together: the user's first, then the leftmost, then the longest.

    `protected` places are open to the user's rules only.
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
    text: str, words: frozenset[str], vocabulary: Vocabulary, code: Layout, rules: RuleSet
) -> Iterator[_Candidate]:
    by_word = rules.rules_by_word
    for word in words & by_word.keys():
        for rule in by_word[word]:
            places = vocabulary.places(word) if rule.find == word else occurrences(text, rule.find)
            yield from _from_rule(rule, places, code)
    for rule in rules.rules_without_word:
        yield from _from_rule(rule, occurrences(text, rule.find), code)


def _from_rule(rule: Rule, places: Iterable[int], code: Layout) -> Iterator[_Candidate]:
    length = len(rule.find)
    for start in places:
        end = start + length
        if rule.origin is not Origin.DEFAULT:
            if code.begins_in_code(start):
                edit = Edit(start, end, rule.replace, f"{rule.source}: {rule.find}")
                yield _Candidate(rule.origin, start, -end, edit, rule.find)
        elif code.is_plain_code(start, end):  # paths of headers have their own table
            yield _default(start, end, rule.replace, f"{rule.source}: {rule.find}")


def _from_shapes(
    words: frozenset[str], vocabulary: Vocabulary, code: Layout, lexicon: Lexicon
) -> Iterator[_Candidate]:
    renames = lexicon.renames
    for word in words & renames.keys():
        new, length = renames[word], len(word)
        for start in vocabulary.places(word):
            if code.is_plain_code(start, start + length):
                yield _default(start, start + length, new, SHAPE)


_CASE = re.compile(r"\bcase\s+[\w:]*\Z")
_WITHOUT_PHRASES = frozenset({Kind.COMMENT, Kind.INCLUDE, Kind.EXCLUDED})


def _from_phrases(
    text: str, words: frozenset[str], vocabulary: Vocabulary, code: Layout, rules: RuleSet
) -> Iterator[_Candidate]:
    """A phrase is looked for around its words only, from the line before to the end of the line."""
    by_word = rules.phrases_by_word
    for word in words & by_word.keys():
        near = [phrase for phrase in by_word[word] if not (phrase.company and words.isdisjoint(phrase.company))]
        phrases = [(phrase, re.compile(phrase.pattern)) for phrase in near]
        for at in vocabulary.places(word):
            if code.kind_at(at) in _WITHOUT_PHRASES:
                continue
            begin = text.rfind("\n", 0, max(0, text.rfind("\n", 0, at))) + 1
            end = text.find("\n", at)
            for phrase, pattern in phrases:
                for match in pattern.finditer(text, begin, len(text) if end < 0 else end):
                    start, stop = match.span(1)
                    if _CASE.search(text, begin, start) and "PrivateUse1" in text:
                        continue  # beside a case PrivateUse1, a second one would be an error
                    if start >= at and stop <= at + len(word) + 8 and code.begins_in_code(match.start()):
                        yield _default(start, stop, phrase.replace, phrase.source)


def _from_guards(text: str, words: frozenset[str], layout: Layout, translator: Translator) -> Iterator[_Candidate]:
    if not translator.rules.has_defaults:
        return
    if "__CUDA_ARCH__" in words:
        yield from _of_guards(arch_guards(text, tuple(device_only_groups(text, layout))), layout, ARCH_GUARD)
    if "__GNUC__" in words:
        yield from _of_guards(gcc_guards(text), layout, GCC_GUARD)
    if translator.versions and not words.isdisjoint(translator.versions):
        yield from _of_guards(version_guards(text, translator.versions), layout, VERSION_GUARD)


def _of_guards(guards: Iterable[Guard], layout: Layout, rule: str) -> Iterator[_Candidate]:
    for guard in guards:
        if guard.replacement is not None and layout.is_plain_code(guard.start, guard.end):
            yield _default(guard.start, guard.end, guard.replacement, rule)


def _from_older_cxx(
    text: str, words: frozenset[str], vocabulary: Vocabulary, layout: Layout, translator: Translator
) -> Iterator[_Candidate]:
    for start, end, replacement in rewrites(text, words, vocabulary, layout) if translator.rules.has_defaults else ():
        yield _default(start, end, replacement, OLDER_CXX)


def _from_includes(layout: Layout, rules: RuleSet, resolve_include: ResolveInclude) -> Iterator[_Candidate]:
    for include in layout.includes:
        new = new_include_path(include, rules, resolve_include)
        if new is not None and new != include.path:
            yield _default(include.start, include.end, new, INCLUDE)


def _fragments(
    text: str, from_rules: Iterable[_Candidate], headers: Iterable[_Candidate]
) -> frozenset[_Candidate]:
    """Matches of the user's rules within the path of a known header, but beside the header's own name.

    Rules such as `/cuda/` or `.cuh` are about paths in general; what is known of one header is more, and half of each
    would name a header that nobody has. (torch_musa's tool, which the manual's rules are written for, takes the longest
    rule first.)
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


_SELF_DEFINE = (
    r"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+(\w+)[ \t]*\r?$"
    r"|\busing\s+(\w+)\s*=\s*(\w+)\s*;|\btypedef\s+(\w+)\s+(\w+)\s*;"
)


def _self_defines(text: str, words: frozenset[str], lexicon: Lexicon) -> Iterator[tuple[int, int]]:
    """The places that give a CUDA name to the MUSA one (`#define cudaMalloc musaMalloc`), as (start, end).

    Renamed, they would define a name as itself.
    """
    if not any(lexicon.renames[word] in words for word in words & lexicon.renames.keys()):
        return
    for match in re.finditer(_SELF_DEFINE, text, re.MULTILINE | re.ASCII):
        one, two = (name for name in match.groups() if name is not None)
        if lexicon.renames.get(one) == two or lexicon.renames.get(two) == one:
            yield match.span()
