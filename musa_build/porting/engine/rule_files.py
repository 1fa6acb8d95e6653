"""Read rules: the tables that come with musa_build, and the files and mappings of the user."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, Optional

from ...errors import PortingError
from .rules import Component, NamePattern, Origin, PatternRule, Rule, RuleSet, Tables

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
    try:
        content = path.read_bytes()
        if path.suffix == ".json":
            pairs = json.loads(content, object_pairs_hook=_without_duplicates)
        else:
            pairs = _pairs_of_lines(path, content.decode("utf-8"))
    except (ValueError, OSError) as error:
        raise PortingError(
            "a mapping file cannot be read", found=f"{path}: {error}", wanted='one JSON object: {"cudaX": "musaX"}'
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
