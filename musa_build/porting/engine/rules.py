"""Rules: the texts to replace, their replacements, and the source of each rule.

Four kinds cover what porting needs:

- `Rule`: a piece of text and its replacement (all user rules; the irregular names of the tables);
- `NamePattern` and `Component`: which identifiers are CUDA's own, and the new pieces of such a name
  (`cudaMalloc` -> `musaMalloc`); no name pattern matches a package's own `WITH_CUDA` or `scale_cuda`;
- `PatternRule`: a pattern over code whose single group is replaced (`->is_cuda()`, a dispatch key);
- a header table: include path -> include path.

Where a rule's own edge is an identifier character, it matches at identifier borders: `cu` never changes `Accumulate`.
Every rule is applied to the original text, once: the result of one rule is never the input of another.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Final, NamedTuple, Optional

# A byte of a UTF-8 identifier counts as part of the identifier, so that a rule never cuts one in two.
IDENTIFIER = re.compile(r"[0-9A-Za-z_\x80-\xff]+")
IN_IDENTIFIER = frozenset(chr(code) for code in range(256) if IDENTIFIER.match(chr(code)))


class Origin(enum.IntEnum):
    """The author of a rule. The smaller number wins where two rules want the same text."""

    USER = 0
    USER_FILE = 1
    DEFAULT = 2


class Rule(NamedTuple):
    """Replace the text `find` by `replace`. `source` names where the pair is from."""

    find: str
    replace: str
    origin: Origin
    source: str

    @property
    def identifier(self) -> Optional[str]:
        """The longest identifier in `find`, without which no text can match; None if `find` holds none."""
        identifiers: list[str] = IDENTIFIER.findall(self.find)
        return max(identifiers, key=len) if identifiers else None


class NamePattern(NamedTuple):
    """Identifiers that match `pattern` completely are CUDA's own. Each begins with one of `prefixes`."""

    prefixes: tuple[str, ...]
    pattern: str
    source: str


class Component(NamedTuple):
    """Inside an identifier of CUDA's own, a match of `pattern` becomes `replace`."""

    pattern: str
    replace: str
    source: str


class PatternRule(NamedTuple):
    """Around each of `identifiers`, replace group 1 of `pattern` by `replace`.

    If `required_identifiers` is not empty, the pattern matches only in a text that holds one of them. (The pattern is
    text: a run needs few of these patterns, and compiling all is a good part of a short run.)
    """

    identifiers: tuple[str, ...]
    pattern: str
    replace: str
    source: str
    required_identifiers: tuple[str, ...] = ()


class Tables(NamedTuple):
    """The rules that come with musa_build: the content of tables/*.rules."""

    rules: tuple[Rule, ...] = ()
    name_patterns: tuple[NamePattern, ...] = ()
    components: tuple[Component, ...] = ()
    pattern_rules: tuple[PatternRule, ...] = ()
    headers: tuple[Rule, ...] = ()


#: Where PyTorch keeps headers that are CUDA's own.
PYTORCH_CUDA_FOLDERS: Final = (
    "ATen/cuda/",
    "ATen/native/cuda/",
    "ATen/native/transformers/cuda/",
    "c10/cuda/",
    "torch/csrc/cuda/",
)


def ported_header(path: str) -> str:
    """Return the name that torch_musa gives a header of PyTorch for CUDA: `ATen/musa/MUSAUtils.h`.

    Its tools/cuda_porting renames folders and files so.
    """
    folder, slash, name = path.rpartition("/")
    name = name.replace(".cu", ".mu").replace("CUDA", "MUSA").replace("cuda", "musa")
    return folder.replace("cuda", "musa") + slash + name


def occurrences(text: str, find: str) -> Iterator[int]:
    """Yield the offsets of `find` in `text`, at identifier borders wherever its own edge is part of an identifier.

    So `cu` is not found in `Accumulate`, but `.cuh` is found in `a.cuh`. Occurrences do not overlap.
    """
    length = len(find)
    starts_inside, ends_inside = find[0] in IN_IDENTIFIER, find[-1] in IN_IDENTIFIER
    start = text.find(find)
    while start >= 0:
        end = start + length
        cut = (starts_inside and start and text[start - 1] in IN_IDENTIFIER) or (
            ends_inside and end < len(text) and text[end] in IN_IDENTIFIER
        )
        if not cut:
            yield start
        start = text.find(find, start + 1 if cut else end)


class RuleSet:
    """All rules of one run. `rule_files.rule_set()` makes one."""

    def __init__(self, user_rules: tuple[Rule, ...], tables: Tables) -> None:
        self.user_rules: Final = user_rules
        self.tables: Final = tables

    @property
    def has_defaults(self) -> bool:
        """Whether the tables are in use (the user may drop them)."""
        return bool(self.tables.name_patterns)

    @cached_property
    def headers(self) -> Mapping[str, str]:
        """Include path -> include path, for headers of libraries; a path that ends in / covers all files in it."""
        return {rule.find: rule.replace for rule in self.tables.headers}

    def header(self, path: str) -> Optional[str]:
        """Return the new path of an include `path`, by its own rule or by its folder's; None if no rule matches.

        Of PyTorch's own headers for CUDA, torch_musa ports all to which the tables give no other name.
        """
        known = self.headers.get(path)
        if known is not None:
            return known
        folder, slash, name = path.rpartition("/")
        known = self.headers.get(folder + slash) if slash else None
        if known is not None:
            return known + name
        return ported_header(path) if self.tables.headers and path.startswith(PYTORCH_CUDA_FOLDERS) else None

    @cached_property
    def rules_by_identifier(self) -> Mapping[str, tuple[Rule, ...]]:
        """An identifier -> the rules that can match only where it occurs.

        One dictionary look-up per identifier finds all candidates, however many rules there are.
        """
        index: dict[str, list[Rule]] = {}
        for rule in (*self.user_rules, *self.tables.rules):
            identifier = rule.identifier
            if identifier is not None:
                index.setdefault(identifier, []).append(rule)
        return {identifier: tuple(rules) for identifier, rules in index.items()}

    @cached_property
    def rules_without_identifier(self) -> tuple[Rule, ...]:
        """The user's rules that hold no identifier, such as `<<<`."""
        return tuple(rule for rule in self.user_rules if rule.identifier is None)

    @cached_property
    def pattern_rules_by_identifier(self) -> Mapping[str, tuple[PatternRule, ...]]:
        """An identifier -> the pattern rules that can match only around it."""
        index: dict[str, list[PatternRule]] = {}
        for pattern_rule in self.tables.pattern_rules:
            for identifier in pattern_rule.identifiers:
                index.setdefault(identifier, []).append(pattern_rule)
        return {identifier: tuple(pattern_rules) for identifier, pattern_rules in index.items()}

    @cached_property
    def prefixes(self) -> tuple[str, ...]:
        """The beginnings of all identifiers that a name pattern matches; none of them begins with another."""
        every = {prefix for pattern in self.tables.name_patterns for prefix in pattern.prefixes}
        return tuple(sorted(a for a in every if not any(b != a and a.startswith(b) for b in every)))

    def renamed(self, identifier: str) -> Optional[str]:
        """Return the new name of an identifier that a name pattern matches; None for any other."""
        if self.name_pattern_of(identifier) is None:
            return None
        replacements = self._replacements
        new = self._component.sub(lambda match: replacements[(match.lastindex or 1) - 1], identifier)
        return new if new != identifier else None

    def new_name(self, identifier: str) -> Optional[str]:
        """Return the new name that the tables give to `identifier` everywhere; None if it keeps its name."""
        return self._names.get(identifier) or self.renamed(identifier)

    @cached_property
    def _names(self) -> Mapping[str, str]:
        return {rule.find: rule.replace for rule in self.tables.rules}

    def name_pattern_of(self, identifier: str) -> Optional[NamePattern]:
        """Return the name pattern that matches `identifier`."""
        for name_pattern in self.tables.name_patterns:
            begins_so = identifier.startswith(name_pattern.prefixes)
            if begins_so and re.fullmatch(name_pattern.pattern, identifier, re.ASCII):
                return name_pattern
        return None

    @cached_property
    def _component(self) -> re.Pattern[str]:
        patterns = [f"({component.pattern})" for component in self.tables.components]
        return re.compile("|".join(patterns) or r"(?!)", re.ASCII)

    @cached_property
    def _replacements(self) -> tuple[str, ...]:
        return tuple(component.replace for component in self.tables.components)
