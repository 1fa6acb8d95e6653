"""Calls of published CUDA code, some eighty snippets of it, compile: all in one source."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

SNIPPETS = Path(__file__).with_name("snippets.txt")


def source() -> str:
    """Each snippet in a namespace of its own; a line `== name`, then its code."""
    pieces = re.split(r"^== (.*)\n", SNIPPETS.read_text(), flags=re.M)[1:]
    snippets = list(zip(pieces[::2], pieces[1::2]))
    includes = sorted({line for _, code in snippets for line in code.splitlines() if line.startswith("#include")})
    bodies = (
        f'#line 1 "{name}"\nnamespace snippet_{number} {{\n{re.sub("^#include.*", "", code, flags=re.M)}}}\n'
        for number, (name, code) in enumerate(snippets)
    )
    return "\n".join(includes) + "\n" + "".join(bodies)


@pytest.mark.slow
@pytest.mark.parametrize("standard", ["c++17", "c++20"])
def test_snippets_compile(sim_sdk_root: Path, tmp_path: Path, standard: str) -> None:
    file = tmp_path / "snippets.mu"
    file.write_text(source())
    command = [str(sim_sdk_root / "bin/mcc"), f"-std={standard}", "-w", "-fsyntax-only", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-6000:]
