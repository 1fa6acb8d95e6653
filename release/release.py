"""Make a release: everything but the upload. Run it by `make release`.

    python release/release.py            # all steps; the files are in dist/
    python release/release.py --no-tests # without the tests of the unpacked source distribution, which take minutes
    python release/release.py --address https://HOST/OWNER/NAME  # with project URLs: `make release ADDRESS=...`
    python release/release.py --torch 2.13.0 --torch 2.8.0       # with wheels of torch-musa-sim for these releases of
                                                                 # PyTorch, in dist/torch-2.13.0/ ...: `TORCHES=...`

What is built is what is committed: the script clones the repository and builds from the clone.
"""

from __future__ import annotations

import argparse
import fnmatch
import hashlib
import importlib.util
import os
import posixpath
import re
import shutil
import subprocess
import sys
import tarfile
import time
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
WORK = ROOT / "build" / "release"
DIST = ROOT / "dist"
VERSION = re.compile(r"^__version__ = \"([^\"]+)\"$", re.MULTILINE)
PUBLIC_VERSION = re.compile(r"\d+\.\d+\.\d+(?:(?:a|b|rc)\d+)?")
ADDRESS = re.compile(r"https://[\w.-]+(?:/[\w.-]+)+")
#: The project URLs below the address of the public repository: the paths that GitHub and Gitee have
URLS = {
    "Homepage": "",
    "Documentation": "/blob/main/docs/README.md",
    "Changelog": "/blob/main/CHANGELOG.md",
    "Issues": "/issues",
}
TESTS = ("-m", "not compiles and not slow")
#: The modules of the extra "release" that steps run by `python -m`
PROGRAMS = ("build", "check_sdist", "check_wheel_contents", "twine", "wheel")
#: Distribution -> its folder in the repository
FOLDERS = {"musa_build": ".", "musa_sim": "simulator", "musa_tools": "tools", "torch_musa_sim": "backend"}
#: A wheel of the backend is bound to the torch that builds it: each has a folder of its own (decision 39).
WITH_WHEEL = ("musa_build", "musa_sim", "musa_tools")
#: Compiles the SDK's libraries to a folder of the package, where musa_sim finds them (musa_sim/sdk_libraries.py)
COMPILE = """
from musa_sim.sdk_libraries import COMPILED, compile_libraries
COMPILED.mkdir()
compile_libraries(COMPILED, "g++")
"""
_LINK = re.compile(r"(?P<text>(?P<picture>!)?\[[^\]]*\])\((?!https?:|#)(?P<path>[^)#]+)")
GLIBC = re.compile(rb"GLIBC_2\.(\d+)")


class ReleaseError(Exception):
    """The release cannot be made; the message says why."""


@dataclass(frozen=True)
class Step:
    """One step of a release: what it prints, and what it does."""

    title: str
    run: Callable[[], None]


def version(folder: Path) -> str:
    """Return the version of all distributions. Raises ReleaseError if it is none, or if they differ."""
    files = ("musa_build/__init__.py", "simulator/musa_sim/__init__.py", "tools/musa_tools/__init__.py")
    matches = {name: VERSION.search((folder / name).read_text(encoding="utf-8")) for name in files}
    found = {name: match and match[1] for name, match in matches.items()}
    number = found[files[0]]
    if number is None or not PUBLIC_VERSION.fullmatch(number):
        raise ReleaseError(f"{files[0]} has no version that can be released: {number}")
    if len({*found.values()}) > 1:
        raise ReleaseError(f"the distributions have different versions: {found}; wanted: {number} in all")
    return number


def with_urls(pyproject: str, address: str) -> str:
    """Return the text of a pyproject.toml with the project URLs of a repository.

    Raises:
        ReleaseError: The address is none, or the text has project URLs.
    """
    if not ADDRESS.fullmatch(address):
        raise ReleaseError(
            f"{address} is not the address of a repository; wanted: https://HOST/OWNER/NAME, without a / at its end"
        )
    if re.search(r"^\[project\.urls\]", pyproject, re.MULTILINE):
        raise ReleaseError("pyproject.toml has project URLs already")
    lines = "".join(f'{name} = "{address}{path}"\n' for name, path in URLS.items())
    return f"{pyproject.rstrip()}\n\n[project.urls]\n{lines}"


def with_links(page: str, address: str, folder: str = ".") -> str:
    """Return a page of a folder whose links to files lead to its address: an index shows the page alone."""

    def absolute(link: re.Match[str]) -> str:
        kind = "raw" if link["picture"] else "blob"
        return f"{link['text']}({address}/{kind}/main/{posixpath.normpath(posixpath.join(folder, link['path']))}"

    return _LINK.sub(absolute, page)


def require_changes(folder: Path) -> None:
    """Raise ReleaseError if the change log does not begin with this version."""
    first = re.search(r"^## (\S+)", (folder / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    if first is None or first[1] != version(folder):
        raise ReleaseError(f"CHANGELOG.md begins with {first and first[1]}, not with {version(folder)}")


def require_committed(folder: Path) -> None:
    """Raise ReleaseError if files of the checkout differ from the last commit."""
    changed = output(["git", "status", "--porcelain", "--untracked-files=no"], folder).splitlines()
    if changed:
        raise ReleaseError("these files are not committed, and a release has only what is:\n" + "\n".join(changed))


def tag_of(number: str) -> str:
    """Return the name of git's tag for a version."""
    return f"v{number}"


def require_untagged(folder: Path) -> None:
    """Raise ReleaseError if the version's tag is on another commit: one version would name two contents."""
    tag = tag_of(version(folder))
    if not output(["git", "tag", "--list", tag], folder).strip():
        return
    tagged, last = (output(["git", "rev-parse", f"{name}^{{commit}}"], folder).strip() for name in (tag, "HEAD"))
    if tagged != last:
        raise ReleaseError(f"the tag {tag} is on {tagged[:12]}, not on the last commit, {last[:12]}: bump the version")


def manylinux(unpacked: Path) -> str:
    """Return the platform tag of a wheel with these files: the release of the C library that they need."""
    files = (path.read_bytes() for path in unpacked.rglob("*") if path.is_file())
    needed = [int(number) for file in files if file.startswith(b"\x7fELF") for number in GLIBC.findall(file)]
    return f"manylinux_2_{max(needed)}_x86_64"


def wanted_files(number: str) -> tuple[str, ...]:
    """Return the names of the files of a release, with `*` for a platform."""
    return (
        *(f"{name}-{number}-py3-none-{'*' if name == 'musa_sim' else 'any'}.whl" for name in WITH_WHEEL),
        *(f"{name}-{number}.tar.gz" for name in FOLDERS),
    )


def require_programs(modules: Sequence[str]) -> None:
    """Raise ReleaseError if this Python lacks one of the modules."""
    missing = [module for module in modules if importlib.util.find_spec(module) is None]
    if missing:
        raise ReleaseError(
            f"{sys.executable} has no {', '.join(missing)}; run `make release`, or install the extra first: "
            "pip install -e '.[release]'"
        )


def require_files(folder: Path, number: str) -> None:
    """Raise ReleaseError if a folder holds anything else than the files of the release."""
    found = sorted(path.name for path in folder.iterdir() if path.name != "SHA256SUMS")
    wanted = sorted(wanted_files(number))
    if len(found) != len(wanted) or not all(map(fnmatch.fnmatchcase, found, wanted)):
        raise ReleaseError(f"{folder} holds {', '.join(found)}; wanted: {', '.join(wanted_files(number))}")


def checksums(folder: Path) -> str:
    """Return the lines of SHA256SUMS, as `sha256sum --check` reads them."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != "SHA256SUMS")
    return "".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(folder)}\n" for path in files)


def output(command: Sequence[str], folder: Path) -> str:
    """Run a command quietly and return its output. Raises ReleaseError with all of it if the command fails."""
    environment = {**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1", "MUSA_BUILD_SIMULATOR": "1"}
    done = subprocess.run(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    if done.returncode:
        raise ReleaseError(f"{' '.join(command)}\n{done.stdout}")
    return done.stdout


def unpack(name: str) -> Path:
    """Return the folder of a distribution's unpacked source distribution."""
    folder = WORK / "unpacked" / name
    if not folder.exists():
        (archive,) = DIST.glob(f"{name}-*.tar.gz")
        with tarfile.open(archive) as contents:
            if hasattr(tarfile, "data_filter"):
                contents.extractall(folder, filter="data")
            else:  # an old Python
                contents.extractall(folder)
    (unpacked,) = folder.iterdir()
    return unpacked


def run_tests(own: str, folder: Path, *chosen: str) -> None:
    """Run pytest in a folder, by a Python, and print its last line.

    The folder is on sys.path: of torch_musa_sim it must be `tests`, as beside that lies a torch_musa without libraries.
    """
    said = output([own, "-m", "pytest", "-q", "-p", "no:cacheprovider", *chosen], folder).strip().splitlines()[-1]
    if folder.name == "tests" and "skipped" in said:
        raise ReleaseError(f"{folder}: {said}; wanted: no skipped test")
    print(f"    {folder.relative_to(WORK / 'unpacked')}: {said}")


def python(*arguments: str) -> list[str]:
    """Return a command of the Python that runs this script."""
    return [sys.executable, *arguments]


class Release:
    """The steps, over one clone of the repository."""

    def __init__(self, *, with_tests: bool, address: str, torches: Sequence[str]) -> None:
        self.address = address
        self.clone = WORK / "clone"
        self.number = version(ROOT)
        self.steps = (
            Step("what is released is committed and in the change log", self.check_state),
            Step("clone the repository", self.make_clone),
            Step(f"build {', '.join(WITH_WHEEL)}: source distributions, and the wheels from them", self.build_packages),
            Step("compile the SDK's libraries into the wheel of musa_sim", self.add_libraries),
            Step("build torch_musa_sim: source distribution", self.build_backend),
            Step("twine check --strict", self.check_descriptions),
            Step("check-wheel-contents", self.check_wheels),
            Step("check-sdist", self.check_sdists),
            Step("install the wheels in a new environment", self.install),
            *([Step("tests of the unpacked source distributions", self.test_unpacked)] if with_tests else []),
            *(step for torch in torches for step in self._steps_for(torch, with_tests)),
            Step("write dist/SHA256SUMS", self.write_checksums),
        )

    def _steps_for(self, torch: str, with_tests: bool) -> list[Step]:
        build = Step(f"build torch_musa_sim for PyTorch {torch}", partial(self.build_for, torch))
        test = Step(f"tests of torch_musa_sim with PyTorch {torch}", partial(self.test_for, torch))
        return [build, test] if with_tests else [build]

    def check_state(self) -> None:
        """Refuse a release of what is not committed or not described, or of a version that another commit has.

        Programs that a later step runs are looked for here: the steps before it take minutes.
        """
        require_programs(PROGRAMS)
        require_committed(ROOT)
        require_changes(ROOT)
        require_untagged(ROOT)

    def make_clone(self) -> None:
        """Clone the last commit, without what earlier builds left."""
        shutil.rmtree(WORK, ignore_errors=True)
        shutil.rmtree(DIST, ignore_errors=True)
        WORK.mkdir(parents=True)
        output(["git", "clone", "--quiet", "--no-hardlinks", str(ROOT), str(self.clone)], WORK)
        if not self.address:
            return
        for folder in FOLDERS.values():
            project, readme = self.clone / folder / "pyproject.toml", self.clone / folder / "README.md"
            project.write_text(with_urls(project.read_text(encoding="utf-8"), self.address), encoding="utf-8")
            readme.write_text(with_links(readme.read_text(encoding="utf-8"), self.address, folder), encoding="utf-8")

    def build_packages(self) -> None:
        """Build all but the backend. The wheels come from the source distributions, which are thus known to suffice."""
        for name in WITH_WHEEL:
            folder = str(self.clone / FOLDERS[name])
            output(python("-m", "build", "--no-isolation", "--outdir", str(DIST), folder), self.clone)

    def add_libraries(self) -> None:
        """Have the wheel of musa_sim bring the SDK's libraries, for this system's C library and newer ones."""
        (wheel,) = DIST.glob("musa_sim-*.whl")
        output(python("-m", "wheel", "unpack", "--dest", str(WORK), str(wheel)), WORK)
        wheel.unlink()
        unpacked = WORK / f"musa_sim-{self.number}"
        output(python("-c", COMPILE), unpacked)
        compiled = unpacked / "musa_sim" / "compiled"
        tag = manylinux(unpacked)
        for link in filter(Path.is_symlink, (compiled / "lib").iterdir()):
            link.unlink()  # a wheel has none: the SDK root gets them
        for cache in unpacked.rglob("__pycache__"):
            shutil.rmtree(cache)
        facts = unpacked / f"{unpacked.name}.dist-info" / "WHEEL"
        text = facts.read_text(encoding="utf-8").replace("Root-Is-Purelib: true", "Root-Is-Purelib: false")
        facts.write_text(text.replace("Tag: py3-none-any", f"Tag: py3-none-{tag}"), encoding="utf-8")
        output(python("-m", "wheel", "pack", "--dest-dir", str(DIST), str(unpacked)), WORK)

    def build_backend(self) -> None:
        """Build the source distribution of torch-musa-sim, by the musa_build of the clone."""
        folder = str(self.clone / "backend")
        output(python("-m", "build", "--sdist", "--no-isolation", "--outdir", str(DIST), folder), self.clone)
        require_files(DIST, self.number)

    def check_descriptions(self) -> None:
        """Check the metadata, and that the long descriptions render."""
        output(python("-m", "twine", "check", "--strict", *map(str, sorted(DIST.iterdir()))), WORK)
        for wheel in DIST.glob("*.whl"):
            with zipfile.ZipFile(wheel) as contents:
                (name,) = (name for name in contents.namelist() if name.endswith(".dist-info/METADATA"))
                metadata = contents.read(name).decode()
            if self.address and f"Project-URL: Homepage, {self.address}\n" not in metadata:
                raise ReleaseError(f"{wheel.name} lacks the project URLs")

    def check_wheels(self) -> None:
        """Check what each wheel contains, by the settings of its own pyproject.toml."""
        for name in WITH_WHEEL:
            (wheel,) = DIST.glob(f"{name}-*.whl")
            output(python("-m", "check_wheel_contents", str(wheel)), self.clone / FOLDERS[name])

    def check_sdists(self) -> None:
        """Check that each source distribution holds what is under version control."""
        for folder in (self.clone / name for name in FOLDERS.values()):
            output(python("-m", "check_sdist", "--no-isolation", "--source-dir", str(folder)), self.clone)

    def install(self) -> None:
        """Install the wheels as a user does, but with this environment's libraries, and call their commands."""
        environment = WORK / "environment"
        output(python("-m", "venv", str(environment)), WORK)
        site = next((environment / "lib").glob("python*/site-packages"))
        libraries = [entry for entry in sys.path if Path(entry).name == "site-packages"]
        (site / "zz_libraries.pth").write_text("\n".join(libraries) + "\n", encoding="utf-8")
        own = str(environment / "bin" / "python")
        output([own, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", *map(str, DIST.glob("*.whl"))], WORK)
        said = output([str(environment / "bin" / "musa-build"), "version"], WORK).strip()
        if said != self.number:
            raise ReleaseError(f"the installed musa-build says that it is {said}")
        output([str(environment / "bin" / "musa-build"), "new", "my-ops"], WORK)
        said = output(["env", f"MUSA_SIM_CACHE={WORK / 'sdk'}", own, "-m", "musa_sim", "root"], WORK)
        if "\n" in said.strip():
            raise ReleaseError(f"the wheel's SDK is not compiled: {said}")
        if not (site / "musa_build" / "demo" / "example" / "setup_musa.py").is_file():
            raise ReleaseError("the wheel lacks the example of `musa-build demo`")

    def test_unpacked(self) -> None:
        """Run the tests of each source distribution: of musa-build, those that need no compiler.

        torch_musa_sim's need the device: they run if this environment has one, and with each wheel of it (`test_for`).
        """
        for name in WITH_WHEEL:
            run_tests(sys.executable, unpack(name), *(TESTS if name == "musa_build" else ()))
        if importlib.util.find_spec("torch_musa") is not None:
            run_tests(sys.executable, unpack("torch_musa_sim") / "tests")

    def build_for(self, torch: str) -> None:
        """Build a wheel of torch_musa_sim for a release of PyTorch, as its users would, from what was built before."""
        environment, made = WORK / f"environment-{torch}", WORK / f"torch-{torch}"
        output(python("-m", "venv", str(environment)), WORK)
        pip = [str(environment / "bin" / "python"), "-m", "pip"]
        wheels = map(str, DIST.glob("*.whl"))
        output([*pip, "install", "--quiet", f"torch=={torch}", "numpy", "setuptools>=77", *wheels], WORK)
        (source,) = DIST.glob("torch_musa_sim-*.tar.gz")
        options = ("--no-build-isolation", "--no-deps", "--no-cache-dir", "--wheel-dir", str(made))
        output([*pip, "wheel", "--quiet", *options, str(source)], WORK)
        (wheel,) = made.glob("*.whl")
        output(python("-m", "wheel", "unpack", "--dest", str(made), str(wheel)), WORK)
        tag = manylinux(made / f"torch_musa_sim-{self.number}")
        output(python("-m", "wheel", "tags", "--remove", "--platform-tag", tag, str(wheel)), WORK)
        folder = DIST / made.name
        folder.mkdir()
        for wheel in made.glob("*.whl"):
            wheel.replace(folder / wheel.name)

    def test_for(self, torch: str) -> None:
        """Run the tests of torch_musa_sim's source distribution with the wheel for a release of PyTorch."""
        own = str(WORK / f"environment-{torch}" / "bin" / "python")
        (wheel,) = (DIST / f"torch-{torch}").glob("*.whl")
        output([own, "-m", "pip", "install", "--quiet", "--no-deps", str(wheel)], WORK)
        output([own, "-m", "pip", "install", "--quiet", "pytest>=8"], WORK)
        run_tests(own, unpack("torch_musa_sim") / "tests")

    def write_checksums(self) -> None:
        """Write the digests of the files."""
        (DIST / "SHA256SUMS").write_text(checksums(DIST), encoding="utf-8")


def main() -> int:
    """Make the release. Return 1 if a step fails."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--no-tests", action="store_true", help="leave out the tests of the source distribution")
    parser.add_argument("--torch", action="append", default=[], help="a release of PyTorch that gets a wheel")
    parser.add_argument("--address", default="", help="the public repository, for the project URLs")
    chosen = parser.parse_args()
    try:
        if chosen.address:
            with_urls("", chosen.address)  # refuse a wrong one before the work
        release = Release(with_tests=not chosen.no_tests, address=chosen.address, torches=chosen.torch)
        for number, step in enumerate(release.steps, 1):
            print(f"[{number}/{len(release.steps)}] {step.title} ...", flush=True)
            started = time.monotonic()
            step.run()
            print(f"    {time.monotonic() - started:.0f} s")
    except ReleaseError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    for path in sorted(path for path in DIST.rglob("*") if path.is_file()):
        print(f"dist/{path.relative_to(DIST)}  {path.stat().st_size:,} bytes")
    if not chosen.address:
        print("These files have no project URLs: --address names the public repository, when there is one.")
    commit = output(["git", "rev-parse", "--short=12", "HEAD"], release.clone).strip()
    print("Nothing was uploaded and nothing tagged. To do both:")
    print("  python -m twine upload dist/*.whl dist/*.tar.gz")
    tag = tag_of(release.number)
    print(f"  git tag --annotate --message 'musa_build {release.number}' {tag} {commit} && git push origin {tag}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
