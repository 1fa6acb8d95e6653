"""CUDA's names for MUSA's: the porting tables, read backwards.

    python tests/nvidia_card/cuda_names.py FOLDER LIBRARIES

writes FOLDER/cuda_names.h, a header of `#define`s that is included before a program, and FOLDER/include, headers with
MUSA's names that include CUDA's. They have the names that the programs of the simulator's suites use. A name is right
by construction: porting CUDA's name gives MUSA's.
"""

from __future__ import annotations

import itertools
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from musa_build.porting.engine.rules import RuleSet, rule_set

SUITES = Path(__file__).resolve().parents[1] / "sim"
FOLDERS = ("runtime", "idioms", "libraries", "checks", "stdlib")

#: names that porting translates in conditions, not by its tables
BY_GUARDS = {
    "__MUSA_ARCH__": "__CUDA_ARCH__",
    "MUSA_VERSION": "CUDA_VERSION",
    "MUSART_VERSION": "CUDART_VERSION",
    "__MUSACC_VER_MAJOR__": "__CUDACC_VER_MAJOR__",
    "__MUSACC_VER_MINOR__": "__CUDACC_VER_MINOR__",
}
#: names that MUSA spells otherwise, or has twice
ALIASES = {"mublasStatus": "cublasStatus_t", "murandStatePhilox4_32_10_t": "curandStatePhilox4_32_10_t"}
#: headers that CUDA 13 has no longer, and those with their content
MOVED = {"math_functions.h": "cuda_runtime.h"}

_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
_INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[^\n]*", re.M)
_LOOKAROUND = re.compile(r"\(\?[^()]*\)")


def sdk_headers() -> list[Path]:
    """The headers with MUSA's names, for the names that programs put together from pieces (`mublasS##gemm`)."""
    return sorted((SUITES.parents[1] / "simulator" / "musa_sim" / "include").glob("m*.h"))


def sources() -> list[Path]:
    """The programs of the suites and the headers beside them."""
    card = Path(__file__).with_name("card.mu")
    return sorted(
        [card]
        + [
            path
            for folder in FOLDERS
            for path in (SUITES / folder / "programs").iterdir()
            if path.suffix in (".mu", ".cpp", ".h")
        ]
    )


def identifiers(texts: Iterable[str]) -> set[str]:
    """Every identifier of the code: not those of comments and includes."""
    found: set[str] = set()
    for text in texts:
        found.update(_IDENTIFIER.findall(_INCLUDE.sub("", _COMMENT.sub("", text))))
    return found


def exported(libraries: Path) -> set[str]:
    """The names of C functions in the SDK's libraries: headers declare many of them by macros, from pieces."""
    command = ["nm", "--dynamic", "--defined-only", "--format=just-symbols", *map(str, libraries.glob("libmu*.so"))]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return {name for name in done.stdout.split() if re.fullmatch("mu[a-z]+[A-Z]\\w+", name)}


@cache
def rules() -> RuleSet:
    return rule_set()


@cache
def _pieces() -> tuple[tuple[str, str], ...]:
    """(MUSA's piece of a name, CUDA's) of each component of the tables."""
    pieces = set()
    for component in rules().tables.components:
        for literal in _LOOKAROUND.sub("", component.pattern).split("|"):
            if re.fullmatch(r"\w+", literal):
                pieces.add((component.replace, literal))
    return tuple(sorted(pieces))


def _candidates(name: str) -> Iterator[str]:
    """Names that differ from `name` in pieces that porting may have written."""
    found = [(match.start(), musa, cuda) for musa, cuda in _pieces() for match in re.finditer(re.escape(musa), name)]
    for count in range(1, min(len(found), 4) + 1):
        for chosen in itertools.combinations(sorted(found), count):
            pieces, end = [], 0
            for start, musa, cuda in chosen:
                if start < end:
                    break
                pieces += [name[end:start], cuda]
                end = start + len(musa)
            else:
                yield "".join(pieces) + name[end:]


@cache
def _exact() -> dict[str, str]:
    """MUSA's name -> CUDA's, of the rules for single names."""
    return {rule.replace: rule.find for rule in rules().tables.rules}


def cuda_name(name: str) -> str | None:
    """The name that porting turns into `name`; None if there is none."""
    known = BY_GUARDS.get(name) or ALIASES.get(name) or _exact().get(name)
    if known is not None:
        return known
    return next((each for each in _candidates(name) if ported(each) == name), None)


def ported(name: str) -> str:
    """Port an identifier."""
    exact = {rule.find: rule.replace for rule in rules().tables.rules}
    return exact.get(name) or rules().renamed(name) or name


def renamed(names: Iterable[str]) -> dict[str, str]:
    """MUSA's name -> CUDA's, of those that have one."""
    pairs = ((name, cuda_name(name)) for name in sorted(names))
    found = {name: cuda for name, cuda in pairs if cuda is not None}
    # the generator's own function, for which the tables have a pattern
    return {**found, "murand": "curand", "musa": "cuda"}


def header(names: Iterable[str]) -> str:
    pairs = renamed(names)
    # the macro of a device pass must stay undefined on the host
    of_device = [musa for musa in pairs if musa == "__MUSA_ARCH__"]
    lines = [f"#define {musa} {cuda}\n" for musa, cuda in pairs.items() if musa not in of_device]
    lines += [f"#ifdef {pairs[musa]}\n#define {musa} {pairs[musa]}\n#endif\n" for musa in of_device]
    title = "// CUDA's names for MUSA's, by tests/nvidia_card/cuda_names.py from the porting tables.\n#pragma once\n"
    return title + "".join(lines)


def forwarding_headers() -> dict[str, str]:
    """{path of MUSA's header: its text, which includes CUDA's}."""
    texts = {}
    for rule in rules().tables.headers:
        if rule.find.endswith("/") or rule.find == rule.replace or rule.replace in texts:
            continue
        # of several headers of CUDA that became one of MUSA's, the first is in the tables' main section
        texts[rule.replace] = f"#pragma once\n#include <{rule.find}>\n"
    texts.update({name: f"#pragma once\n#include <{cuda}>\n" for name, cuda in MOVED.items()})
    return texts


def write(folder: Path, libraries: Path) -> None:
    """Write the header of names and the forwarding headers; `libraries` is the folder of the simulated SDK's."""
    folder.mkdir(parents=True, exist_ok=True)
    texts = [path.read_text(encoding="utf-8") for path in (*sources(), *sdk_headers())]
    (folder / "cuda_names.h").write_text(header(identifiers(texts) | exported(libraries)), encoding="utf-8")
    for name, text in forwarding_headers().items():
        path = folder / "include" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]), Path(sys.argv[2]))
