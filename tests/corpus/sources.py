"""Fetching source distributions and porting them: sdist in the cache -> unpacked -> ported beside itself."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tarfile
from pathlib import Path

from musa_build import SimplePorting
from musa_build.files import locked, write_if_changed

from .packages import Package

CACHE = Path(os.environ.get("MUSA_BUILD_CORPUS_CACHE") or Path.home() / ".cache" / "musa_build" / "corpus")


class Unavailable(Exception):
    """The package cannot be had here, most often because there is no network."""


def source_tree(package: Package) -> Path:
    """The folder of the unpacked package, ported.

    Raises:
        Unavailable: the package index cannot be reached.
    """
    with locked(CACHE / f"{package.name}.lock"):
        sdist = _fetch(package)
        tree = CACHE / "src" / f"{package.name}-{package.version}"
        if not tree.is_dir():
            unpacking = tree.with_suffix(".unpacking")
            with tarfile.open(sdist) as archive:
                archive.extractall(unpacking, filter="data")
            (content,) = unpacking.iterdir()
            content.rename(tree)
            unpacking.rmdir()
        SimplePorting(tree / package.ported).run()
    return tree


def python_for_musa(text: str) -> str:
    """A package's Python for the device "musa": the names it asks the device by, and nothing else, are changed."""
    for name in ("torch.cuda", "is_cuda", '"cuda"', "'cuda'", ".cuda()"):
        text = text.replace(name, name.replace("cuda", "musa"))
    return text


def write_python(package: Package, tree: Path, target: Path) -> None:
    """Put the package's Python modules, for the device "musa", below `target`."""
    for path in (tree / package.python).rglob("*.py") if package.python else ():
        write_if_changed(target / path.relative_to(tree), python_for_musa(path.read_text(encoding="utf-8")))


def _fetch(package: Package) -> Path:
    """The source distribution, by way of pip, which is asked only once."""
    folder = CACHE / "sdists" / f"{package.name}-{package.version}"
    if not list(folder.glob("*.tar.gz")):
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
        command += ["--no-binary", package.name, "--no-build-isolation", "--dest", str(folder), package.requirement]
        # pip asks the package's setup.py for its name: without nvcc it does not try to configure CUDA.
        path = os.pathsep.join([str(Path(sys.executable).parent), "/usr/bin", "/bin"])
        environment = {**os.environ, "PATH": path, "TORCH_DEVICE_BACKEND_AUTOLOAD": "0"}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if done.returncode:
            reason = next((line for line in done.stderr.splitlines() if line.startswith("ERROR")), "pip failed")
            raise Unavailable(f"{package.requirement} cannot be downloaded: {reason}")
    (sdist,) = folder.glob("*.tar.gz")
    found = hashlib.sha256(sdist.read_bytes()).hexdigest()
    assert found == package.sha256, f"{sdist} is not the {package.requirement} that these tests were written for"
    return sdist
