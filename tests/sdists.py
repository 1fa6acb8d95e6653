"""Source distributions of real packages from the index, by name, version and digest, kept in the user's cache."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import subprocess
import sys
import tarfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from musa_build.system.process import locked

CACHE = Path(os.environ.get("MUSA_BUILD_CORPUS_CACHE") or Path.home() / ".cache" / "musa_build" / "corpus")


class Unavailable(Exception):
    """The package cannot be had here, most often because there is no network."""


def fetch_sdist(name: str, version: str, sha256: str, *, isolated: bool = False) -> Path:
    """Return a source distribution, by way of pip, which is asked only once. Raise Unavailable.

    `isolated`: pip gets what builds it, to ask for its name, as no environment here has that.
    """
    folder, requirement = CACHE / "sdists" / f"{name}-{version}", f"{name}=={version}"
    if not list(folder.glob("*.tar.gz")):
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
        command += ["--no-binary", name, *([] if isolated else ["--no-build-isolation"]), "--dest", str(folder)]
        command.append(requirement)
        # pip asks the package's setup.py for its name: without nvcc it does not try to configure CUDA.
        path = os.pathsep.join([str(Path(sys.executable).parent), "/usr/bin", "/bin"])
        environment = {**os.environ, "PATH": path, "TORCH_DEVICE_BACKEND_AUTOLOAD": "0", "PYTHONPATH": _pkg_resources()}
        _run_pip(command, requirement, environment)
    (sdist,) = folder.glob("*.tar.gz")
    found = hashlib.sha256(sdist.read_bytes()).hexdigest()
    assert found == sha256, f"{sdist} is not the {requirement} that these tests were written for"
    return sdist


def unpack(sdist: Path, folder: Path) -> None:
    """Unpack a source distribution into a folder."""
    with tarfile.open(sdist) as archive:
        archive.extraction_filter = getattr(tarfile, "data_filter", None)  # Python before 3.11.4 has none
        archive.extractall(folder)


def installed_package(name: str, version: str) -> Path:
    """Return a folder that has a package of the index alone, for PYTHONPATH. pip is asked once. Raise Unavailable."""
    requirement, folder = f"{name}=={version}", CACHE / "packages" / f"{name}-{version}"
    with locked(CACHE / "packages.lock"):
        if not folder.is_dir():
            command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
            _run_pip([*command, "--target", str(folder), requirement], requirement, os.environ)
    return folder


def _pkg_resources() -> str:
    """A folder with the module that some setup.py need and setuptools 82 no longer has; "" where it is there."""
    if importlib.util.find_spec("pkg_resources") is not None:
        return ""
    requirement, folder = "setuptools<82", CACHE / "setuptools"
    with locked(CACHE / "setuptools.lock"):
        if not (folder / "pkg_resources").is_dir():
            command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
            _run_pip([*command, "--target", str(folder), requirement], requirement, os.environ)
    return str(folder)


def _run_pip(command: Sequence[str], requirement: str, environment: Mapping[str, str]) -> None:
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        said = [line.strip() for line in done.stderr.splitlines() if line.strip()]
        reasons = [line for line in said if "Error" in line or line.startswith("ERROR")]
        raise Unavailable(f"{requirement} cannot be downloaded: {(reasons or said or ['pip failed'])[-1]}")
