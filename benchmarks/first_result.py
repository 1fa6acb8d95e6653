"""How long a newcomer waits: from an environment with torch to the result of `musa-build demo`.

    make release TORCHES=2.13.0
    python benchmarks/first_result.py --wheels dist/torch-2.13.0 [--torch torch==2.13.0] [--rounds 5]
    python benchmarks/first_result.py                          # torch-musa-sim from source
    python benchmarks/first_result.py --source                 # all from source

It makes one virtual environment with torch, which is not timed. Each round installs what `make release` made with an
empty cache, runs the demo, and removes both. Wall time, medians; pip downloads what the distributions require once,
before the first round.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OURS = ("musa-build", "musa-sim", "musa-tools", "torch-musa-sim")


def run(command: Sequence[str], folder: Path, environment: Mapping[str, str]) -> float:
    """Run a command and return the seconds that it took. Exit with its output if it fails."""
    begin = time.monotonic()
    done = subprocess.run(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stdout}")
    return time.monotonic() - begin


def main() -> None:
    """Print the median seconds of each step."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dist", type=Path, default=ROOT / "dist", help="the folder that `make release` wrote")
    parser.add_argument("--wheels", type=Path, help="the folder with a wheel of torch-musa-sim for this torch")
    parser.add_argument("--torch", default="torch==2.13.0", help="the requirement of torch")
    parser.add_argument("--source", action="store_true", help="take source distributions, not wheels")
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        work = Path(made)
        own = work / "environment" / "bin"
        environment = {**os.environ, "PATH": f"{own}:{os.environ['PATH']}", "MUSA_BUILD_SIMULATOR": "1"}
        for name in ("VIRTUAL_ENV", "MUSA_HOME", "PYTHONPATH"):
            environment.pop(name, None)
        pip = [str(own / "python"), "-m", "pip", "--disable-pip-version-check"]
        links = [f"--find-links={folder.absolute()}" for folder in (given.dist, given.wheels) if folder]
        options = ["--no-build-isolation", "--no-cache-dir", "--pre", *links]
        options += ["--no-binary=musa-build,musa-sim,torch-musa-sim"] if given.source else []
        steps = {
            "install musa-build[sim]": [*pip, "install", *options, "musa-build[sim]"],
            "install torch-musa-sim": [*pip, "install", *options, "torch-musa-sim"],
            "musa-build demo": [str(own / "musa-build"), "demo", "--output", str(work / "demo")],
        }
        run([sys.executable, "-m", "venv", str(own.parent)], work, environment)
        run([*pip, "install", given.torch, "numpy", "setuptools>=77", "wheel"], work, environment)
        times: dict[str, list[float]] = {name: [] for name in steps}
        for at in range(given.rounds + 1):
            cache = work / f"cache-{at}"
            fresh = {**environment, "XDG_CACHE_HOME": str(cache), "MUSA_SIM_CACHE": str(cache / "sdk")}
            for name, command in steps.items():
                seconds = run(command, work, fresh)
                if at:  # the first round downloads
                    times[name].append(seconds)
                print(f"  round {at}: {name}: {seconds:.1f} s", flush=True)
            run([*pip, "uninstall", "--yes", *OURS], work, fresh)
            run(["rm", "-rf", str(work / "demo"), str(cache)], work, fresh)
        for name, seconds in times.items():
            print(f"{name:28} {statistics.median(seconds):6.1f} s")
        print(f"{'together':28} {statistics.median(map(sum, zip(*times.values()))):6.1f} s")


if __name__ == "__main__":
    main()
