"""Rules: what is renamed to what, who says so, and what a text contains of it.

Four shapes cover what porting needs:

- `Rule`: a piece of text and its replacement (all user rules; the irregular names of the tables);
- `Family`: one pattern over a whole identifier, for names that are regular (`cudaMalloc` -> `musaMalloc`);
- `Phrase`: one pattern over code, of which the single group is replaced (`->is_cuda()`, a dispatch key);
- a header table: include path -> include path.

A rule applies at identifier borders wherever its own edge is an identifier character: `cu` never touches `Accumulate`.
Every rule is applied to the original text, once: the result of one rule is never the input of another.
"""

from __future__ import annotations

import enum
import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Optional

from musa_build.errors import PortingError
from musa_build.files import digest
from musa_build.porting.scanner import WORD, WORD_CHARS

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

TABLES = Path(__file__).with_name("tables")

_BORDERLESS = re.compile(f"[{WORD_CHARS}]{{2}}")


class Origin(enum.IntEnum):
    """Who made a rule. The smaller number wins where two rules want the same text."""

    USER = 0
    USER_FILE = 1
    DEFAULT = 2


@dataclass(frozen=True)
class Rule:
    """Replace the text `find` by `replace`. `source` tells where the pair is from."""

    find: str
    replace: str
    origin: Origin
    source: str


@dataclass(frozen=True)
class Family:
    """Rename a whole identifier that `pattern` matches to `template` (groups as in `re.Match.expand`)."""

    pattern: re.Pattern[str]
    template: str
    source: str


@dataclass(frozen=True)
class Phrase:
    """Replace group 1 of `pattern` by `replace`; a match in which group 1 took no part is an exception to it."""

    pattern: re.Pattern[str]
    replace: str
    source: str


@dataclass(frozen=True)
class Hit:
    """`rule` matches at `text[start:end]`."""

    start: int
    end: int
    rule: Rule


@dataclass(frozen=True)
class Tables:
    """What comes with musa_build: the content of tables/*.toml."""

    rules: tuple[Rule, ...] = ()
    families: tuple[Family, ...] = ()
    phrases: tuple[Phrase, ...] = ()
    headers: tuple[Rule, ...] = ()


@dataclass(frozen=True)
class RuleSet:
    """All rules of one run. Build it with `rule_set()`."""

    user_rules: tuple[Rule, ...]
    tables: Tables

    @cached_property
    def hash(self) -> str:
        """Changes exactly when some rule does."""
        rules = (*self.user_rules, *self.tables.rules, *self.tables.headers)
        parts = [f"{rule.origin}\0{rule.find}\0{rule.replace}" for rule in rules]
        parts += [f"{family.pattern.pattern}\0{family.template}" for family in self.tables.families]
        parts += [f"{phrase.pattern.pattern}\0{phrase.replace}" for phrase in self.tables.phrases]
        return digest(*parts)

    @cached_property
    def headers(self) -> Mapping[str, str]:
        """Include path -> include path, for headers of libraries."""
        return {rule.find: rule.replace for rule in self.tables.headers}

    def hits(self, text: str) -> Iterator[Hit]:
        """Every place where a `Rule` matches, in no particular order; places may overlap."""
        rules_by_word = self._rules_by_word
        for word in WORD.finditer(text):
            for rule, offset in rules_by_word.get(word[0], ()):
                start = word.start() - offset
                end = start + len(rule.find)
                if start >= 0 and text.startswith(rule.find, start) and not _cuts_word(text, end):
                    yield Hit(start, end, rule)
        for rule in self._rules_without_word:
            for match in re.finditer(re.escape(rule.find), text):
                yield Hit(match.start(), match.end(), rule)

    def renamed(self, identifier: str) -> Optional[str]:
        """The new name that a family gives to `identifier`, or None."""
        for family in self.tables.families:
            match = family.pattern.fullmatch(identifier)
            if match is not None:
                return match.expand(family.template)
        return None

    @cached_property
    def _rules_by_word(self) -> Mapping[str, tuple[tuple[Rule, int], ...]]:
        """First word of a rule -> the rules that start with it and the word's offset in them.

        Words of a rule are whole words of the text (that is the border condition), so one dictionary look-up per word
        finds all candidates, however many rules there are.
        """
        index: dict[str, tuple[tuple[Rule, int], ...]] = {}
        for rule in self._all_rules:
            word = WORD.search(rule.find)
            if word is not None:
                index[word[0]] = (*index.get(word[0], ()), (rule, word.start()))
        return index

    @cached_property
    def _rules_without_word(self) -> tuple[Rule, ...]:
        return tuple(rule for rule in self._all_rules if WORD.search(rule.find) is None)

    @property
    def _all_rules(self) -> tuple[Rule, ...]:
        return (*self.user_rules, *self.tables.rules)


def _cuts_word(text: str, end: int) -> bool:
    """Whether a word of `text` goes on across the offset `end`, where a match ends.

    (Where a match begins needs no look: its first word was found as a whole word of the text.)
    """
    return end < len(text) and _BORDERLESS.match(text, end - 1) is not None


def rule_set(
    mapping_rule: Optional[Mapping[str, str]] = None,
    mapping_dir: Optional[Path] = None,
    default: bool = True,
) -> RuleSet:
    """The rules of one run: the user's pairs, the user's folder of JSON files, and (unless refused) the tables.

    Raises:
        PortingError: a rule that is not text to text, is empty, or a mapping file that cannot be read.
    """
    user = _rules_from_mapping(mapping_rule or {}, Origin.USER, "mapping_rule")
    from_files = [] if mapping_dir is None else list(_rules_from_folder(mapping_dir))
    return RuleSet((*user, *from_files), default_tables() if default else Tables())


def default_tables() -> Tables:
    """The tables that come with musa_build."""
    rules: list[Rule] = []
    families: list[Family] = []
    phrases: list[Phrase] = []
    headers: list[Rule] = []
    for path in sorted(TABLES.glob("*.toml")):
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        for entry in table.get("name", ()):
            rules.append(Rule(entry["from"], entry["to"], Origin.DEFAULT, entry["source"]))
        for entry in table.get("header", ()):
            headers.append(Rule(entry["from"], entry["to"], Origin.DEFAULT, entry["source"]))
        for entry in table.get("family", ()):
            families.append(Family(re.compile(entry["match"]), entry["to"], entry["source"]))
        for entry in table.get("phrase", ()):
            phrases.append(Phrase(re.compile(entry["match"]), entry["to"], entry["source"]))
    return Tables(tuple(rules), tuple(families), tuple(phrases), tuple(headers))


def _rules_from_folder(folder: Path) -> Iterator[Rule]:
    """The pairs of every JSON file in `folder`: the format of torch_musa's own mapping files."""
    if not folder.is_dir():
        raise PortingError(
            "the folder of mapping files cannot be used",
            found=f"{folder} is not a folder",
            wanted="a folder with *.json files, each one object of text to text",
        )
    paths = sorted(folder.glob("*.json"))
    if not paths:
        raise PortingError("the folder of mapping files is empty", found=str(folder), wanted="at least one *.json file")
    for path in paths:
        try:
            pairs = json.loads(path.read_bytes(), object_pairs_hook=_without_duplicates)
        except (ValueError, OSError) as error:
            raise PortingError(
                "a mapping file cannot be read", found=f"{path}: {error}", wanted='one JSON object: {"cudaX": "musaX"}'
            ) from error
        yield from _rules_from_mapping(pairs, Origin.USER_FILE, path.name)


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the rule {twice!r} stands twice in one object")
    return result


def _rules_from_mapping(pairs: object, origin: Origin, source: str) -> list[Rule]:
    if not isinstance(pairs, Mapping):
        raise PortingError(
            "mapping rules must be a mapping", found=f"{type(pairs).__name__} in {source}", wanted='{"from": "to", ...}'
        )
    rules = []
    for find, replace in pairs.items():
        if not (isinstance(find, str) and isinstance(replace, str) and find):
            raise PortingError(
                "a mapping rule must be text to text",
                found=f"{find!r}: {replace!r} in {source}",
                wanted="a non-empty text to look for and the text to put there",
            )
        rules.append(Rule(_as_bytes_text(find), _as_bytes_text(replace), origin, source))
    return rules


def _as_bytes_text(text: str) -> str:
    """Source files are handled as Latin-1, one character per byte, so that no byte is lost; rules must match that."""
    return text.encode("utf-8").decode("latin-1")


def unused(rules: Iterable[Rule], used: Iterable[Rule]) -> tuple[str, ...]:
    """The texts of those `rules` that the user gave by hand and that are not among `used`."""
    seen = {rule.find for rule in used if rule.origin is Origin.USER}
    return tuple(
        rule.find.encode("latin-1").decode("utf-8")
        for rule in rules
        if rule.origin is Origin.USER and rule.find not in seen
    )
