"""MooreThreads/kineto, the public program that uses MUPTI, compiles with the SDK's headers.

KINETO names a checkout of https://github.com/MooreThreads/kineto. Its submodule fmt is not needed, because PyTorch's
headers have fmt. USE_MUPTI_RANGE_PROFILER is off, as in kineto's build without the library nvperf_host.
"""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
from pathlib import Path

import pytest

FLAGS = ("-std=c++17", "-fsyntax-only", "-w", "-DKINETO_NAMESPACE=libkineto", "-DFMT_HEADER_ONLY", "-DHAS_MUPTI")


def sources_of(folder: Path) -> list[Path]:
    """Return the sources that include headers of MUPTI or of kineto's layer above it."""
    include = re.compile(rb'^#include [<"](mupti|Mupti|Musa)', re.MULTILINE)
    return [path for path in sorted(folder.glob("*.cpp")) if include.search(path.read_bytes())]


@pytest.mark.slow
@pytest.mark.compiles
def test_kineto_compiles(sim_sdk_root: Path) -> None:
    checkout = os.environ.get("KINETO")
    if not checkout:
        pytest.skip("KINETO does not name a checkout of MooreThreads/kineto")
    torch = importlib.util.find_spec("torch")
    if torch is None or torch.origin is None:
        pytest.skip("fmt's headers come with torch, which is not installed")
    kineto = Path(checkout, "libkineto")
    sources = sources_of(kineto / "src")
    assert len(sources) >= 18
    include = [f"-I{sim_sdk_root}/extras/MUPTI/include", f"-I{sim_sdk_root}/include", f"-I{kineto}/include"]
    include += [f"-I{kineto}/src", "-isystem", f"{Path(torch.origin).parent}/include"]
    command = ["g++", *FLAGS, *include]
    failed = {}
    for source in sources:
        done = subprocess.run([*command, str(source)], capture_output=True, text=True, check=False)
        if done.returncode:
            failed[source.name] = done.stderr
    assert failed == {}
