"""LiteGS, unmodified: its two extensions built by its own command, and their operators against plain PyTorch.

LITEGS=CHECKOUT python -m tests.programs.litegs build     # pip install, with FORCE_MUSA
python -m tests.programs.litegs tests
python -m tests.programs.litegs record                    # docs/moore-threads-programs.md
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import subprocess
import sys

from .comparisons import counted, keep_differences
from .kernels import kept_folder
from .record import Record, keep

NAME, VERSION = "LiteGS", "004b952"
#: its submodule fused_ssim is another repository's
EXTENSIONS = {"gaussian_raster": 6, "simple-knn": 3}  # and their files
COMMAND = "FORCE_MUSA=1 pip install --no-build-isolation litegs/submodules/gaussian_raster"
LEFT = (
    "Its extensions gaussian_raster and simple-knn alone: fused_ssim is another repository's; no training.",
    "tileRange (binning.cu:252) gives the last tile that has points no end if it is not the image's last tile: this "
    "tile stays empty. The scenes here have a point in the image's last tile.",
    "frustum_culling_aabb (compact.cu:474) writes `visibility[m]` outside its bounds if the number of chunks is no "
    "multiple of 256, and activate_backward (compact.cu:952) passes sigmoid(x) on as the derivative of an opacity.",
    "rasterize_backward with a gradient of the transmittance writes a fourth row of an array of three (raster.cu:683).",
    "The rasterizer blends in half precision: image and colours within 2 and 4 %, gradients of positions and "
    "covariances within 10 % of the norm; all else within 0.02 to 0.1 %.",
)
HOME = kept_folder() / f"{NAME}-{VERSION}"
SITE, FOUND, BUILT = HOME / "site", HOME / "tests.json", HOME / "built.json"


def build() -> None:
    """Install both extensions into a folder of their own."""
    checkout = os.environ.get("LITEGS", "")
    if not checkout:
        raise SystemExit("error: the variable LITEGS must name a checkout")
    built = {}
    for name in EXTENSIONS:
        options = ["--no-build-isolation", "--no-deps", "--upgrade", "--target", str(SITE)]
        command = [sys.executable, "-m", "pip", "install", *options, f"{checkout}/litegs/submodules/{name}"]
        built[name] = subprocess.run(command, env={**os.environ, "FORCE_MUSA": "1"}, check=False).returncode == 0
    BUILT.write_text(json.dumps(built))
    print(built)


def compare() -> None:
    """Compare the operators with plain PyTorch."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(SITE), os.environ.get("PYTHONPATH", "")])}
    keep_differences("tests.programs.litegs_operators", FOUND, environment=environment)


def record() -> None:
    """Keep what was found, and write the page."""
    built = json.loads(BUILT.read_text())
    tests, wrong = counted(FOUND)
    compiled = sum(files for name, files in EXTENSIONS.items() if built[name])
    today = datetime.date.today().isoformat()
    keep(Record(NAME, VERSION, today, COMMAND, sum(EXTENSIONS.values()), compiled, tests, (*LEFT, *wrong)))


def main() -> None:
    """Run one step."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=("build", "tests", "record"))
    step = parser.parse_args().step
    HOME.mkdir(parents=True, exist_ok=True)
    {"build": build, "tests": compare, "record": record}[step]()


if __name__ == "__main__":
    main()
