"""Inline PTX that macros make of their arguments: the expansion is the preprocessor's, the translation runs."""

from __future__ import annotations

import random
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from kept_programs import KeptPrograms

from musa_build.porting import SimplePorting
from musa_build.porting.engine.edits import Severity
from musa_build.porting.engine.identifiers import IdentifierIndex
from musa_build.porting.engine.inline_ptx.macros import Macros
from musa_build.porting.engine.inline_ptx.rewrite import Rewrite, rewrite
from musa_build.porting.engine.scanner import scan
from musa_build.toolchain.compile_flags import OLDER_CXX_FLAGS

TOKENS = re.compile(r'"(?:[^"\\]|\\.)*"|' + r"'(?:[^'\\]|\\.)*'" + r"|\w+|\S")


def tokens(text: str) -> list[str]:
    return TOKENS.findall(text)


def expanded(text: str, names: set[str]) -> str:
    """Expand the uses of the macros with these names, directives left out."""
    pieces, position = [], 0
    layout = scan(text)
    for use in Macros(layout).uses(names, lambda start, end: layout.without_comments[start:end]):
        pieces += [text[position : use.start], use.expanded]
        position = use.end
    both = "".join(pieces) + text[position:]
    return re.sub(r"^[ \t]*#(?:.*\\\n)*.*$", "", both, flags=re.MULTILINE)


def random_program(chosen: random.Random) -> str:
    """Return macros that use earlier ones, and uses of them."""
    lines: list[str] = []
    arity: list[int] = []
    arguments = ("ca", "global.nc", '"a\\n b"', "x  +  y", "f(1, 2)", "'\"'", "LOAD_1", "")
    for number in range(5):
        parameters = [f"p{index}" for index in range(chosen.randint(1, 3))]
        words = [
            f"#{chosen.choice(parameters)}",
            f"a_##{chosen.choice(parameters)}",
            f"{chosen.choice(parameters)}",
            '"text # p0"',
            "/* p0 */",
            "b.c",
            f"({chosen.choice(parameters)})",
        ]
        words += [
            f"M{k}({', '.join(chosen.choice([*parameters, 'd', '3 + 4']) for _ in range(arity[k]))})"
            for k in range(number)
        ]
        body = chosen.sample(words, chosen.randint(2, len(words)))
        joined = "".join(f"{word}{chosen.choice([' ', ' ', chr(92) + chr(10) + '    '])}" for word in body).rstrip(
            " \\\n"
        )
        space = chosen.choice(["", " ", "\t"])
        lines.append(f"#{space}define{space or ' '}M{number}({', '.join(parameters)}) {joined}")
        arity.append(len(parameters))
    for _ in range(12):
        number = chosen.randrange(5)
        given = ", ".join(chosen.choice(arguments) for _ in range(arity[number]))
        lines.append(f"begin M{number} ({given}) end;")
        if chosen.random() < 0.1:
            lines += [f"#undef M{number}", f"#define M{number}({', '.join(f'p{k}' for k in range(arity[number]))}) #p0"]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("seed", range(60))
def test_expansion_is_that_of_a_preprocessor(seed: int) -> None:
    text = random_program(random.Random(seed))
    # pasting what makes no token is an error of the program, which a preprocessor does all the same
    run = subprocess.run(
        ["g++", "-E", "-P", "-x", "c++", "-w", "-"], input=text, capture_output=True, text=True, check=False
    )
    assert tokens(expanded(text, {f"M{number}" for number in range(5)})) == tokens(run.stdout), text


PROGRAM = Path(__file__).with_name("programs") / "asm_in_macros.cu"


def rewritten(text: str) -> Rewrite:
    return rewrite(text, scan(text), IdentifierIndex(text.encode("latin-1")), ())


def test_statements_of_macros_are_translated_where_they_are_used(
    sim_sdk_root: Path, kept_programs: KeptPrograms, tmp_path: Path
) -> None:
    tree = tmp_path / "cuda"
    tree.mkdir()
    shutil.copy(PROGRAM, tree / "loads.cu")
    result = SimplePorting(tree).run()
    assert not [finding for finding in result.findings if finding.severity is Severity.WARNING]
    command = [str(sim_sdk_root / "bin/mcc"), "-O2", *OLDER_CXX_FLAGS]
    program = kept_programs.build(command, [result.output / "loads.mu"], ["-lmusart"])
    rng = np.random.default_rng(5)
    x = rng.integers(0, 2**32, 64, dtype=np.uint32)
    y = rng.integers(0, 2**63, 64, dtype=np.uint64)
    done = subprocess.run([program], input=x.tobytes() + y.tobytes(), capture_output=True, check=True)
    np.testing.assert_array_equal(np.frombuffer(done.stdout[:256], np.uint32), x + x * np.uint32(3))
    np.testing.assert_array_equal(np.frombuffer(done.stdout[256:], np.uint64), y + y[::-1])


def test_an_unknown_instruction_is_reported_at_the_use() -> None:
    text = '#define OP(name) asm(#name ";")\nvoid f() {\n  OP(wgmma.fence);\n}\n'
    (outcome,) = rewritten(text).outcomes
    assert (outcome.offset, outcome.instructions) == (text.index("OP(wg"), ()) and "wgmma" in outcome.reason


@pytest.mark.parametrize(
    "text",
    [
        '#define OP(name) asm(#name ".u32 %0, 1;" : "=r"(c))\n',  # not used here
        '#ifdef A\n#define OP(name) asm("mov." #name " %0, 1;" : "=r"(c))\n#else\n#define OP(name) c = 1\n#endif\n'
        "void f() { OP(u32); }\n",
        '#define OP(a, b) asm("mov." #a " %0, 1;" : "=r"(c))\nvoid f() { OP(u32); }\n',
    ],
    ids=["unused", "two definitions", "other number of arguments"],
)
def test_what_is_not_clear_is_left_and_reported(text: str) -> None:
    result = rewritten(text)
    assert [edit for edit in result.edits if edit.start != edit.end] == []
    assert [bool(outcome.reason) for outcome in result.outcomes] == [True]
