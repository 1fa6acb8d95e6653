"""DEBUG=1 and USE_ASAN=1 reach the compilers of the backend's own build."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

BACKEND = Path(__file__).parents[2] / "backend"
READ = """
import json
from distutils.core import run_setup  # setuptools has it

extensions = run_setup("setup.py", stop_after="init").ext_modules
print(json.dumps([[extension.extra_compile_args, extension.extra_link_args] for extension in extensions]))
"""


def flags(**environment: str) -> list[tuple[dict[str, list[str]], list[str]]]:
    """The flags of the backend's libraries, as its setup.py declares them; the last is the kernel library."""
    kept = {name: value for name, value in os.environ.items() if name not in ("DEBUG", "USE_ASAN")}
    command = [sys.executable, "-W", "ignore", "-c", f"import setuptools\n{READ}"]
    environment = {**kept, "MUSA_KERNELS": "1", **environment}
    done = subprocess.run(command, cwd=BACKEND, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [(compile, link) for compile, link in json.loads(done.stdout.splitlines()[-1])]


@pytest.mark.slow
@pytest.mark.compiles
def test_debug_and_asan() -> None:
    plain, chosen = flags(), flags(DEBUG="1", USE_ASAN="1")
    assert len(plain) == len(chosen) == 3
    for compile, link in plain:
        assert "-O2" in compile["cxx"]
        assert "-fsanitize=address" not in [*compile["cxx"], *link]
    for compile, link in chosen:
        assert {"-O0", "-g", "-fsanitize=address"} <= set(compile["cxx"])
        assert "-fsanitize=address" in link
    assert plain[-1][0]["mcc"] == ["-O3"]
    assert chosen[-1][0]["mcc"] == ["-O0", "-g", "-fsanitize=address"]
