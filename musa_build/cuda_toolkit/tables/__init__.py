"""The tables of CUDA's headers: those here in TOML, and the [headers] of the porting rules."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...environment.settings import parse_toml
from ...porting.engine.rules import rule_set
from ..headers import Constants, HeaderFacts
from ..legacy_cublas import LegacyFunction, header_of_functions, legacy_functions


def header_facts() -> dict[str, HeaderFacts]:
    """Return the tables of headers.toml, by header of CUDA."""
    tables = _read("headers.toml")
    return {
        name: HeaderFacts(
            tuple(table.get("sdk", ())),
            tuple(table.get("guards", ())),
            tuple(table.get("includes", ())),
            tuple(table.get("system", ())),
            table.get("adapter", ""),
        )
        for name, table in tables.items()
    }


def header_rules() -> Mapping[str, str]:
    """Map headers and folders of CUDA to MUSA's, as porting does."""
    return rule_set().headers


def constants() -> Constants:
    """Return the tables of constants.toml, by type."""
    return _read("constants.toml")


def legacy_cublas() -> tuple[LegacyFunction, ...]:
    """Return the functions of legacy_cublas.toml."""
    return tuple(legacy_functions(_read("legacy_cublas.toml")))


def legacy_cublas_header() -> str:
    """Return the text of the header that defines them."""
    return header_of_functions(legacy_cublas())


def _read(name: str) -> Mapping[str, Mapping[str, Any]]:
    return parse_toml(Path(__file__).with_name(name).read_text(encoding="utf-8"), name)
