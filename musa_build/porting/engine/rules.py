"""Rules: the texts to replace, their replacements, and the source of each rule.

Four kinds cover what porting needs:

- `Rule`: a piece of text and its replacement (all user rules; the irregular names of the tables);
- `NamePattern` and `Component`: which identifiers are CUDA's own, and the new pieces of such a name
  (`cudaMalloc` -> `musaMalloc`); no name pattern matches a package's own `WITH_CUDA` or `scale_cuda`;
- `PatternRule`: a pattern over code whose single group is replaced (`->is_cuda()`, a dispatch key);
- a header table: include path -> include path.

Where a rule's own edge is an identifier character, it matches at identifier borders: `cu` never changes `Accumulate`.
Every rule is applied to the original text, once: the result of one rule is never the input of another.

The rules of a run are read from the tables that come with musa_build, and from the files and mappings of the user.
"""

from __future__ import annotations

import enum
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Final, NamedTuple, Optional

from ...errors import PortingError
from .edits import IDENTIFIER


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
    "torch/headeronly/cuda/",  # PyTorch 2.15 has it, 2.13 does not
)


def ported_header(path: str) -> str:
    """Return the name that torch_musa gives a header of PyTorch for CUDA: `ATen/musa/MUSAUtils.h`.

    tools/cuda_porting of torch_musa renames folders and files in this way.
    """
    folder, slash, name = path.rpartition("/")
    name = name.replace(".cu", ".mu").replace("CUDA", "MUSA").replace("cuda", "musa")
    return folder.replace("cuda", "musa") + slash + name


class RuleSet:
    """All rules of one run. `rule_set()` makes one."""

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

        torch_musa ports all of PyTorch's own headers for CUDA for which the tables have no other name.
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


TABLES = Path(__file__).with_name("tables")

# The kinds of a .rules file and how many columns each has. (tables/sdk.rules explains the format.)
_COLUMNS = {"name patterns": 2, "components": 2, "names": 2, "headers": 2, "pattern rules": 3}


def rule_set(
    mapping_rule: Optional[Mapping[str, str]] = None,
    mapping_dir: Optional[Path] = None,
    default: bool = True,
    files: Iterable[Path] = (),
) -> RuleSet:
    """Return the rules of one run: the user's pairs, the user's files, and the tables if `default`.

    Raises:
        PortingError: A rule is not text to text or is empty, or a file cannot be read.
    """
    user = _rules_from_mapping(mapping_rule or {}, Origin.USER, "mapping_rule")
    for path in [*files, *(mapping_files(mapping_dir) if mapping_dir is not None else ())]:
        user += _rules_from_file(path)
    return RuleSet(tuple(user), default_tables() if default else Tables())


def default_tables(*names: str) -> Tables:
    """Return the tables that come with musa_build: those in the files called `names`, by default in all."""
    paths = [path for path in table_files() if not names or path.name in names]
    lines = [line for path in paths for line in _lines(path, path.read_text(encoding="utf-8"))]

    def of(kind: str) -> Iterator[_Line]:
        return (line for line in lines if line.kind == kind)

    return Tables(
        rules=tuple(Rule(line.columns[0], line.columns[1], Origin.DEFAULT, line.source) for line in of("names")),
        name_patterns=tuple(
            NamePattern(tuple(line.columns[0].split()), line.columns[1], line.source) for line in of("name patterns")
        ),
        components=tuple(Component(line.columns[0], line.columns[1], line.source) for line in of("components")),
        pattern_rules=tuple(_pattern_rule(line) for line in of("pattern rules")),
        headers=tuple(Rule(line.columns[0], line.columns[1], Origin.DEFAULT, line.source) for line in of("headers")),
    )


def table_files() -> list[Path]:
    """Return the files that hold the default rules."""
    return sorted(TABLES.glob("*.rules"))


def mapping_files(folder: Path) -> list[Path]:
    """Return the JSON files in `folder`, which have the format of torch_musa's own mapping files.

    Raises:
        PortingError: `folder` is not a folder, or holds no JSON file.
    """
    if not folder.is_dir():
        raise PortingError(
            "the folder of mapping files cannot be used",
            found=f"{folder} is not a folder",
            wanted="a folder with *.json files, each one object of text to text",
        )
    paths = sorted(folder.glob("*.json"))
    if not paths:
        raise PortingError("the folder of mapping files is empty", found=str(folder), wanted="at least one *.json file")
    return paths


class _Line(NamedTuple):
    """One rule of a .rules file."""

    kind: str
    source: str
    columns: list[str]
    number: int


def _lines(path: Path, text: str) -> Iterator[_Line]:
    """Yield the rules of a .rules file. Before the first section head they are names."""
    kind, source = "names", path.name
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        if line.startswith("[") and line.endswith("]"):
            kind, _, source = (part.strip() for part in line[1:-1].partition("|"))
            if kind not in _COLUMNS:
                raise _bad_line(path, number, line, "a section [names | source] or [headers | source]")
            continue
        columns = [column.strip() for column in line.split("  ") if column.strip()]
        if len(columns) != _COLUMNS[kind]:
            raise _bad_line(path, number, line, "two columns, two or more spaces apart")
        yield _Line(kind, source or path.name, columns, number)


def _pattern_rule(line: _Line) -> PatternRule:
    identifiers, _, required = line.columns[0].partition(" with ")
    pattern, replacement = line.columns[1:]
    return PatternRule(tuple(identifiers.split()), pattern, replacement, line.source, tuple(required.split()))


def _bad_line(path: Path, number: int, line: str, wanted: str) -> PortingError:
    return PortingError("a line of a rule file cannot be read", found=f"{path}:{number}: {line}", wanted=wanted)


def _rules_from_file(path: Path) -> list[Rule]:
    """Read a user's file: one JSON object of text to text, or a .rules file with names and headers."""
    is_json = path.suffix == ".json"
    try:
        content = path.read_bytes()
        if is_json:
            pairs = json.loads(content, object_pairs_hook=_without_duplicates)
        else:
            pairs = _pairs_of_lines(path, content.decode("utf-8"))
    except (ValueError, OSError) as error:
        raise PortingError(
            f"a {'mapping' if is_json else 'rule'} file cannot be read",
            found=f"{path}: {error}",
            wanted='one JSON object: {"cudaX": "musaX"}' if is_json else "lines such as: cudaX  musaX",
        ) from error
    return _rules_from_mapping(pairs, Origin.USER_FILE, path.name)


def _pairs_of_lines(path: Path, text: str) -> dict[str, str]:
    lines = list(_lines(path, text))
    refused = next((line for line in lines if line.kind not in ("names", "headers")), None)
    if refused is not None:
        raise ValueError(f"line {refused.number}: a rule file may have [names] and [headers], not [{refused.kind}]")
    return _without_duplicates([(line.columns[0], line.columns[1]) for line in lines])


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the rule {twice!r} stands twice")
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
    """Return `text` as porting handles sources: as Latin-1, one character per byte, so that no byte is lost."""
    return text.encode("utf-8").decode("latin-1")
