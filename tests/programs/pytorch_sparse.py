"""pytorch_sparse, unmodified: built by its own command, and its operators against dense PyTorch.

    PYTORCH_SPARSE=CHECKOUT python -m tests.programs.pytorch_sparse build     # pip install; --only spmm,rw: of these
    python -m tests.programs.pytorch_sparse tests
    python -m tests.programs.pytorch_sparse record                            # docs/moore-threads-programs.md

The checkout's submodule parallel-hashmap comes from the source distribution of torch-sparse on the package index.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from .comparisons import counted, keep_differences
from .kernels import kept_folder
from .record import Record, keep

NAME, VERSION = "pytorch_sparse", "ac2f219"
COMMAND = "FORCE_MUSA=1 pip install --no-build-isolation ."
FOLDERS = ("csrc/{}.cpp", "csrc/cpu/{}_cpu.cpp", "csrc/musa/{}_musa.mu")  # an extension has a file of some of these
LEFT = (
    "Its submodule parallel-hashmap comes from the source distribution of torch-sparse 0.6.18.",
    "Its Python code, and so its own tests, need a torch-scatter for MUSA (no public fork); the C++ operators were "
    "compared instead. bfloat16 is not among their types. Its operators for the CPU alone (samplers) were not run.",
    "A matrix without entries: the backward pass launches an empty grid, and that of min and max raises IndexError.",
)
HOME = kept_folder() / f"{NAME}-{VERSION}"
SITE, FOUND, BUILT = HOME / "site", HOME / "tests.json", HOME / "built.json"


def files_of(source: Path, extensions: list[str]) -> int:
    """Return the number of files that are compiled for these extensions."""
    return sum((source / form.format(name)).is_file() for name in extensions for form in FOLDERS)


def build(only: list[str]) -> None:
    """Install a copy of the checkout into a folder of its own, or some of its extensions."""
    checkout = os.environ.get("PYTORCH_SPARSE", "")
    if not checkout:
        raise SystemExit("error: the variable PYTORCH_SPARSE must name a checkout")
    source, published = HOME / "source", HOME / "published"
    shutil.copytree(checkout, source, dirs_exist_ok=True)
    every = sorted(path.stem for path in source.glob("csrc/*.cpp"))
    files = files_of(source, every)
    for name in set(every) - set(only) if only else ():
        (source / "csrc" / f"{name}.cpp").unlink()  # setup.py makes an extension of each
    pip = [sys.executable, "-m", "pip"]
    sdist = ["download", "--no-deps", "--no-build-isolation", "--no-binary", ":all:", "torch-sparse==0.6.18"]
    subprocess.run([*pip, *sdist, "-d", str(published)], check=True)
    (archive,) = published.glob("*.tar.gz")
    shutil.unpack_archive(archive, published)
    for folder in published.glob("*/third_party"):
        shutil.copytree(folder, source / "third_party", dirs_exist_ok=True)
    options = ["--no-build-isolation", "--no-deps", "--upgrade", "--target", str(SITE), str(source)]
    done = subprocess.run([*pip, "install", *options], env={**os.environ, "FORCE_MUSA": "1"}, check=False)
    compiled = 0 if done.returncode else files_of(source, only or every)
    BUILT.write_text(json.dumps({"files": files, "compiled": compiled, "only": only, "of": len(every)}))


def compare() -> None:
    """Compare the operators with dense PyTorch."""
    keep_differences("tests.programs.pytorch_sparse_operators", FOUND, str(SITE))


def record() -> None:
    """Keep what was found, and write the page."""
    built = json.loads(BUILT.read_text())
    tests, wrong = counted(FOUND)
    today = datetime.date.today().isoformat()
    of_some = f"{len(built['only'])} of its {built['of']} extensions were built: {', '.join(built['only'])}."
    left = (*LEFT, *((of_some,) if built["only"] else ()), *wrong)
    keep(Record(NAME, VERSION, today, COMMAND, built["files"], built["compiled"], tests, left))


def main() -> None:
    """Run one step."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=("build", "tests", "record"))
    parser.add_argument("--only", type=lambda given: given.split(","), default=[], metavar="NAME,...")
    given = parser.parse_args()
    HOME.mkdir(parents=True, exist_ok=True)
    if given.step == "build":
        build(given.only)
    else:
        {"tests": compare, "record": record}[given.step]()


if __name__ == "__main__":
    main()
