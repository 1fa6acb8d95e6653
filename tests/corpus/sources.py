"""Fetching source distributions and porting them: sdist in the cache -> unpacked -> ported beside itself."""

from __future__ import annotations

from pathlib import Path

from sdists import CACHE, fetch_sdist, unpack

from musa_build import SimplePorting
from musa_build.system.files import write_if_changed
from musa_build.system.process import locked

from .packages import Package


def source_tree(package: Package) -> Path:
    """The folder of the unpacked package, ported.

    Raises:
        Unavailable: the package index cannot be reached.
    """
    with locked(CACHE / f"{package.name}.lock"):
        sdist = fetch_sdist(package.name, package.version, package.sha256)
        tree = CACHE / "src" / f"{package.name}-{package.version}"
        if not tree.is_dir():
            unpacking = tree.with_suffix(".unpacking")
            unpack(sdist, unpacking)
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
