"""Write docs/simulator-functions.md: the functions of the runtime and driver API that torch_musa's mapping promises.

`mapped_functions.txt` has their names: torch_musa 2.7.1's mapping (`general.json`) has a structure of a profiler for
the parameters of each function of CUDA 11 (cudaMalloc_v3020_params, cuInit_params), and names the functions of the
profilers. Left out are the forms for a default stream per thread (`_ptsz`, `_ptds`). A function works, or is on the
lists of those that are not simulated.
"""

from __future__ import annotations

import re
import subprocess
import sys
import textwrap
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "simulator-functions.md"
NAMES = Path(__file__).parent / "mapped_functions.txt"


class Api(NamedTuple):
    """An API of the SDK."""

    title: str
    prefix: str
    library: str
    refused: str  # the list of functions that are not simulated, below include/musa_sim
    error: str  # their result


APIS = (
    Api("Runtime", "musa", "musart", "runtime_refused.h", "musaErrorNotSupported"),
    Api("Driver", "mu", "musa", "driver_refused.h", "MUSA_ERROR_NOT_SUPPORTED"),
)


INTRODUCTION = textwrap.wrap(
    "What becomes of the functions that torch_musa's mapping from CUDA to MUSA promises. One that works has CUDA's "
    "meaning; hints (cache preferences, limits, access policies) are remembered and change nothing. One that is not "
    "simulated links, returns the error of that name, and says so once on stderr. The headers have more functions, "
    "from CUDA 12 and of MUSA's own. [known.md](known.md) and [unverified.md](unverified.md) say what is known of the "
    "real SDK. This page is written by `tests/sim/libraries/api_functions.py`; a test compares it with the libraries "
    "and calls what is refused.",
    126,
    break_long_words=False,
    break_on_hyphens=False,
)


class Functions(NamedTuple):
    """The functions of one API that the mapping promises."""

    works: list[str]
    refused: list[str]
    absent: list[str]


def promised(api: Api) -> list[str]:
    """The names of an API's functions in the mapping."""
    return [name for name in NAMES.read_text().split() if re.match(rf"{api.prefix}[A-Z]", name)]


def exported(root: Path, api: Api) -> frozenset[str]:
    """The functions that a library of the SDK at `root` defines."""
    command = ["nm", "-D", "--defined-only", str(root / "lib" / f"lib{api.library}.so")]
    listing = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return frozenset(line.split()[-1] for line in listing.splitlines())


def refused(root: Path, api: Api) -> frozenset[str]:
    """The functions that an API's header lists as not simulated."""
    return frozenset(
        re.findall(r"^MUSA_SIM_REFUSED\((\w+)", (root / "include/musa_sim" / api.refused).read_text(), re.M)
    )


def declared(root: Path) -> str:
    """Return the declarations in a program that includes the headers of both."""
    text = "#include <musa_runtime_api.h>\n#include <musa.h>\n"
    command = ["gcc", "-E", "-dD", "-P", "-x", "c", f"-I{root}/include", "-"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


def functions(root: Path, api: Api) -> Functions:
    """Sort the functions of an API by what the SDK at `root` does with them."""
    there, lacking, names = exported(root, api), refused(root, api), set(re.findall(r"\w+", declared(root)))
    found = Functions([], [], [])
    for name in promised(api):
        exists = name in there and name in names
        (found.absent if not exists else found.refused if name in lacking else found.works).append(name)
    return found


def listed(names: Iterable[str]) -> str:
    return textwrap.fill(", ".join(sorted(names)) + ".", 126, break_long_words=False, break_on_hyphens=False)


def page(root: Path) -> str:
    """The text of the page."""
    found = {api: functions(root, api) for api in APIS}
    lines = [
        "# Functions of the runtime and driver API",
        "",
        *INTRODUCTION,
        "",
        "| API | promised | work | not simulated | absent |",
        "|---|--:|--:|--:|--:|",
    ]
    for api, (works, lacking, absent) in found.items():
        count = len(works) + len(lacking) + len(absent)
        lines.append(f"| {api.title} | {count} | {len(works)} | {len(lacking)} | {len(absent)} |")
    for api, (works, lacking, _) in found.items():
        lines += ["", f"## {api.title}: not simulated ({api.error})", "", listed(lacking)]
        lines += ["", f"## {api.title}: work", "", listed(works)]
    return "\n".join(lines) + "\n"


def main() -> int:
    command = [sys.executable, "-m", "musa_sim", "root"]
    root = Path(subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip())
    PAGE.write_text(page(root), encoding="utf-8")
    print(f"written: {PAGE}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
