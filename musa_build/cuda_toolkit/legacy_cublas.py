"""Write cuBLAS's first interface (cublas.h) over today's, which the SDK has. This module is pure.

The two differ by a rule, so a table of signatures (tables/legacy_cublas.toml) is enough: a letter becomes an
enumerator, a scalar is passed by its address, and a result is written to a variable and returned.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

_TYPES = {"S": "float", "D": "double", "C": "cuComplex", "Z": "cuDoubleComplex"}
_REAL_TYPES = {"S": "float", "D": "double", "C": "float", "Z": "double"}
#: Parameters that are letters, and the translations of adapters/legacy_cublas.h.
_LETTERS = {
    **dict.fromkeys(("trans", "transa", "transb"), "operation"),
    "uplo": "fill",
    "diag": "diagonal",
    "side": "side",
}
_PREFIX = "musa_cuda_cublas_"
_PARAMETER = re.compile(r"(?P<type>.*?)(?P<name>\w+)")


@dataclass(frozen=True)
class LegacyFunction:
    """A function of cublas.h.

    Attributes:
        title: The title of its table.
        parameters: Types and names: ("const float *", "x").
        rest: Arguments of the SDK's function that come after these.
    """

    name: str
    title: str
    result: str
    parameters: tuple[tuple[str, str], ...]
    rest: str

    @property
    def definition(self) -> str:
        """The function in C."""
        own = ", ".join(f"{kind}{name}" for kind, name in self.parameters)
        arguments = [f"{_PREFIX}handle", *(_argument(kind, name) for kind, name in self.parameters)]
        arguments += [self.rest] if self.rest else []
        called = self.name.replace("cublas", "mublas", 1)
        if self.result == "void":
            body = f"{_PREFIX}note({called}({', '.join(arguments)}));"
        else:
            call = f"{called}({', '.join(arguments)}, &result)"
            zeros = "0, 0" if self.result.startswith("cu") else "0"
            body = f"{self.result} result = {{{zeros}}}; {_PREFIX}note({call}); return result;"
        return f"static inline {self.result} {self.name}({own}) {{ {body} }}"


def legacy_functions(tables: Mapping[str, Mapping[str, Any]]) -> Iterator[LegacyFunction]:
    """Yield the functions of legacy_cublas.toml's tables."""
    for title, table in tables.items():
        for prefix in table["prefixes"]:
            kind = next((letter for letter in "CZ" if letter in prefix.upper()), prefix[-1].upper())
            types = {"T": _TYPES[kind], "R": _REAL_TYPES[kind]}
            text = table["parameters"]
            for letter, filled in types.items():
                text = re.sub(rf"\b{letter}\b(?= )", filled, text)
            result = str(table.get("result", "void"))
            found = (_PARAMETER.fullmatch(each.strip()) for each in text.split(","))
            yield LegacyFunction(
                f"cublas{prefix}{title.split()[0]}",
                title,
                types.get(result, result),
                tuple((each["type"], each["name"]) for each in found if each),
                table.get("rest", ""),
            )


def header_of_functions(functions: Collection[LegacyFunction]) -> str:
    """Return a header with these functions instead of the aliases of their names."""
    lines = (line for each in functions for line in (f"#undef {each.name}", each.definition))
    return "\n".join((f"/* Written by musa_build: {len(functions)} functions of cublas.h. */", *lines, ""))


def _argument(kind: str, name: str) -> str:
    if name in _LETTERS:
        return f"{_PREFIX}{_LETTERS[name]}({name})"
    return name if "*" in kind or kind == "int " else f"&{name}"
