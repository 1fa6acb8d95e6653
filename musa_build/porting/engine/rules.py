"""Rules: what is renamed to what, who says so, and what a text contains of it.

Four kinds cover what porting needs:

- `Rule`: a piece of text and its replacement (all user rules; the irregular names of the tables);
- `Shape` and `Component`: the shape of an identifier that is CUDA's own, and what becomes of the pieces of such a name
  (`cudaMalloc` -> `musaMalloc`); a package's own `WITH_CUDA` or `scale_cuda` has no such shape and stays;
- `Phrase`: one pattern over code, of which the single group is replaced (`->is_cuda()`, a dispatch key);
- a header table: include path -> include path.

A rule applies at identifier borders wherever its own edge is an identifier character: `cu` never touches `Accumulate`.
Every rule is applied to the original text, once: the result of one rule is never the input of another.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Final, NamedTuple, Optional

from .identifiers import WORD


class Origin(enum.IntEnum):
    """Who made a rule. The smaller number wins where two rules want the same text."""

    USER = 0
    USER_FILE = 1
    DEFAULT = 2


class Rule(NamedTuple):
    """Replace the text `find` by `replace`. `source` tells where the pair is from."""

    find: str
    replace: str
    origin: Origin
    source: str

    @property
    def word(self) -> Optional[str]:
        """The longest word of `find`: no text without this word can match. None when `find` has no word."""
        words: list[str] = WORD.findall(self.find)
        return max(words, key=len) if words else None


class Shape(NamedTuple):
    """Identifiers that `pattern` matches as a whole are CUDA's own; every one begins with one of `begins`."""

    begins: tuple[str, ...]
    pattern: str
    source: str


class Component(NamedTuple):
    """Inside an identifier of CUDA's own, what `pattern` matches becomes `replace`."""

    pattern: str
    replace: str
    source: str


class Phrase(NamedTuple):
    """Where one of `words` stands, replace group 1 of `pattern` by `replace`.

    Without one of `company` (if it is not empty) somewhere in the text, the pattern cannot match. (It is text: a run
    needs a few of these patterns, and to compile them all is a good part of a short run.)
    """

    words: tuple[str, ...]
    pattern: str
    replace: str
    source: str
    company: tuple[str, ...] = ()


class Tables(NamedTuple):
    """What comes with musa_build: the content of tables/*.rules."""

    rules: tuple[Rule, ...] = ()
    shapes: tuple[Shape, ...] = ()
    components: tuple[Component, ...] = ()
    phrases: tuple[Phrase, ...] = ()
    headers: tuple[Rule, ...] = ()


class RuleSet:
    """All rules of one run. `rule_files.rule_set()` makes one."""

    def __init__(self, user_rules: tuple[Rule, ...], tables: Tables) -> None:
        self.user_rules: Final = user_rules
        self.tables: Final = tables

    @property
    def has_defaults(self) -> bool:
        """Whether the tables are in use (the user may drop them)."""
        return bool(self.tables.shapes)

    @cached_property
    def headers(self) -> Mapping[str, str]:
        """Include path -> include path, for headers of libraries; a path that ends in / stands for the files in it."""
        return {rule.find: rule.replace for rule in self.tables.headers}

    def header(self, path: str) -> Optional[str]:
        """What becomes of the include `path`, by its own rule or by its folder's; None when nothing is known."""
        known = self.headers.get(path)
        if known is not None:
            return known
        folder, slash, name = path.rpartition("/")
        known = self.headers.get(folder + slash) if slash else None
        return None if known is None else known + name

    @cached_property
    def rules_by_word(self) -> Mapping[str, tuple[Rule, ...]]:
        """A word -> the rules that can match only where that word stands.

        One dictionary look-up per word finds all candidates, however many rules there are.
        """
        index: dict[str, list[Rule]] = {}
        for rule in (*self.user_rules, *self.tables.rules):
            word = rule.word
            if word is not None:
                index.setdefault(word, []).append(rule)
        return {word: tuple(rules) for word, rules in index.items()}

    @cached_property
    def rules_without_word(self) -> tuple[Rule, ...]:
        """The user's rules that hold no word, such as `<<<`."""
        return tuple(rule for rule in self.user_rules if rule.word is None)

    @cached_property
    def phrases_by_word(self) -> Mapping[str, tuple[Phrase, ...]]:
        """A word -> the phrases that can match only where that word stands."""
        index: dict[str, list[Phrase]] = {}
        for phrase in self.tables.phrases:
            for word in phrase.words:
                index.setdefault(word, []).append(phrase)
        return {word: tuple(phrases) for word, phrases in index.items()}

    @cached_property
    def beginnings(self) -> tuple[str, ...]:
        """What identifiers of CUDA's own, by their shape, begin with; none of these begins with another."""
        every = {begin for shape in self.tables.shapes for begin in shape.begins}
        return tuple(sorted(a for a in every if not any(b != a and a.startswith(b) for b in every)))

    def renamed(self, identifier: str) -> Optional[str]:
        """The new name of an identifier of CUDA's own, by its shape; None for any other."""
        if self.shape_of(identifier) is None:
            return None
        replacements = self._replacements
        new = self._component.sub(lambda match: replacements[(match.lastindex or 1) - 1], identifier)
        return new if new != identifier else None

    def shape_of(self, identifier: str) -> Optional[Shape]:
        """The shape by which `renamed` knows `identifier`."""
        for shape in self.tables.shapes:
            if identifier.startswith(shape.begins) and re.fullmatch(shape.pattern, identifier, re.ASCII):
                return shape
        return None

    @cached_property
    def _component(self) -> re.Pattern[str]:
        patterns = [f"({component.pattern})" for component in self.tables.components]
        return re.compile("|".join(patterns) or r"(?!)", re.ASCII)

    @cached_property
    def _replacements(self) -> tuple[str, ...]:
        return tuple(component.replace for component in self.tables.components)


def unused(rules: Iterable[Rule], used: Iterable[str]) -> tuple[str, ...]:
    """The texts of those `rules` that the user gave by hand and that are not among `used`."""
    seen = frozenset(used)
    return tuple(
        rule.find.encode("latin-1").decode("utf-8", "replace")
        for rule in rules
        if rule.origin is Origin.USER and rule.find not in seen
    )
