"""The release: one version, what it refuses, what it calls its files. `make release` does all of it but the upload."""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from script_modules import module_of

import musa_build
from musa_build.cli import main

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def release() -> ModuleType:
    return module_of(ROOT / "release" / "release.py", "make_release")


def test_the_version_can_be_released_and_begins_the_change_log(release: ModuleType) -> None:
    assert release.version(ROOT) == musa_build.__version__
    release.require_changes(ROOT)


PYPROJECTS = ("pyproject.toml", "simulator/pyproject.toml", "tools/pyproject.toml", "backend/pyproject.toml")


@pytest.mark.parametrize("name", PYPROJECTS)
def test_the_address_makes_project_urls(name: str, release: ModuleType) -> None:
    # these tests run in the released source distribution too, which has the URLs of its own release
    before = (ROOT / name).read_text(encoding="utf-8").partition("[project.urls]\n")[0]
    after = tomllib.loads(release.with_urls(before, "https://example.org/us/musa_build"))
    urls = after["project"].pop("urls")
    assert after == tomllib.loads(before)
    assert urls["Homepage"] == "https://example.org/us/musa_build"
    assert urls["Issues"] == "https://example.org/us/musa_build/issues"
    for path in (urls["Documentation"], urls["Changelog"]):
        assert (ROOT / path.partition("/blob/main/")[2]).is_file()
    with pytest.raises(release.ReleaseError, match="has project URLs already"):
        release.with_urls(release.with_urls(before, "https://example.org/us/x"), "https://example.org/us/x")


@pytest.mark.parametrize("folder", [".", "simulator", "tools", "backend"])
def test_links_lead_to_the_address(folder: str, release: ModuleType) -> None:
    """An index shows the README without the repository around it."""
    at = "https://example.org/us/x"
    page = release.with_links((ROOT / folder / "README.md").read_text(encoding="utf-8"), at, folder)
    assert re.findall(r"\]\((?!https://|#)[^)]*\)", page) == []
    paths = re.findall(rf"\]\({at}/(?:blob|raw)/main/([^)#]+)[^)]*\)", page)
    assert paths and all((ROOT / path).exists() for path in paths)
    if folder == ".":
        assert f"({at}/raw/main/docs/images/demo.svg)" in page and f"({at}/blob/main/docs/verify.md)" in page


def test_other_links_stay(release: ModuleType) -> None:
    page = "[a](#b) [c](https://d/e)"
    assert release.with_links(page, "https://example.org/us/x") == page


def write_versions(folder: Path, *texts: str) -> None:
    packages = ("musa_build", "simulator/musa_sim", "tools/musa_tools")
    for package, text in zip(packages, texts):
        (folder / package).mkdir(parents=True)
        (folder / package / "__init__.py").write_text(text, encoding="utf-8")


def test_distributions_of_different_versions_are_refused(release: ModuleType, tmp_path: Path) -> None:
    write_versions(tmp_path, '__version__ = "1.0.0"\n', '__version__ = "1.0.0"\n', '__version__ = "1.0.1"\n')
    with pytest.raises(release.ReleaseError, match="different versions"):
        release.version(tmp_path)


def test_extras_ask_for_the_same_version() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    asked = [*project["optional-dependencies"]["sim"], *project["optional-dependencies"]["tools"]]
    assert asked == [f"{name}=={musa_build.__version__}" for name in ("musa-sim", "musa-tools")]


@pytest.mark.parametrize(
    "address", ["example.org/us/x", "http://example.org/us/x", "https://example.org", "https://a/b/", 'https://a/b"c']
)
def test_what_is_no_address_is_refused(address: str, release: ModuleType) -> None:
    with pytest.raises(release.ReleaseError, match="is not the address of a repository"):
        release.with_urls("", address)


@pytest.mark.parametrize(
    "text", ['__version__ = "1.0.dev0"\n', "__version__ = other\n", '__version__ = "1.0.0+local"\n']
)
def test_other_versions_are_refused(text: str, release: ModuleType, tmp_path: Path) -> None:
    write_versions(tmp_path, text, text, text)
    with pytest.raises(release.ReleaseError, match="no version that can be released"):
        release.version(tmp_path)


def test_what_the_change_log_lacks_is_not_released(release: ModuleType, tmp_path: Path) -> None:
    write_versions(tmp_path, *['__version__ = "2.0.0"\n'] * 3)
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n\n## 1.9.0\n", encoding="utf-8")
    with pytest.raises(release.ReleaseError, match=r"begins with 1\.9\.0, not with 2\.0\.0"):
        release.require_changes(tmp_path)


def test_what_is_not_committed_is_not_released(release: ModuleType, tmp_path: Path) -> None:
    def git(*arguments: str) -> None:
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments], cwd=tmp_path, check=True)

    file = tmp_path / "file"
    file.write_text("one", encoding="utf-8")
    git("init", "--quiet")
    git("add", "file")
    git("commit", "--quiet", "-m", "one")
    release.require_committed(tmp_path)
    file.write_text("two", encoding="utf-8")
    with pytest.raises(release.ReleaseError, match="M file"):
        release.require_committed(tmp_path)


def test_a_version_has_one_commit(release: ModuleType, tmp_path: Path) -> None:
    def git(*arguments: str) -> None:
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments], cwd=tmp_path, check=True)

    write_versions(tmp_path, *['__version__ = "2.0.0"\n'] * 3)
    git("init", "--quiet")
    git("add", ".")
    git("commit", "--quiet", "-m", "one")
    release.require_untagged(tmp_path)
    git("tag", "--annotate", "--message", "2.0.0", release.tag_of("2.0.0"))
    release.require_untagged(tmp_path)
    git("commit", "--quiet", "--allow-empty", "-m", "two")
    with pytest.raises(release.ReleaseError, match=r"the tag v2\.0\.0 is on \w{12}, not on the last commit"):
        release.require_untagged(tmp_path)


def test_the_files_of_a_release(release: ModuleType, tmp_path: Path) -> None:
    names = [name.replace("*", "manylinux_2_35_x86_64") for name in release.wanted_files("1.0.0")]
    for name in names:
        (tmp_path / name).write_text(name, encoding="utf-8")
    release.require_files(tmp_path, "1.0.0")
    lines = dict(reversed(line.split("  ")) for line in release.checksums(tmp_path).splitlines())
    assert lines == {name: hashlib.sha256(name.encode()).hexdigest() for name in names}
    with pytest.raises(release.ReleaseError, match="wanted: "):
        release.require_files(tmp_path, "1.0.1")
    (tmp_path / names[0]).unlink()
    with pytest.raises(release.ReleaseError, match="wanted: "):
        release.require_files(tmp_path, "1.0.0")


def test_the_page_about_stability_names_what_is_public() -> None:
    page = (ROOT / "docs" / "stability.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`([^`]+)`", page))
    assert {*musa_build.__all__} <= named
    texts = ((ROOT / name).read_text(encoding="utf-8") for name in PYPROJECTS)
    scripts = [name for text in texts for name in re.findall(r"^(musa-\w+) = \"", text, re.MULTILINE)]
    assert len(scripts) == 3 and {*scripts} <= named
    assert {f"musa-build {name}" for name, command in main.commands.items() if not command.hidden} <= named
    assert musa_build.__version__ in page


@pytest.mark.parametrize("folder", ["backend", "simulator", "tools"])
def test_every_distribution_has_the_license(folder: str) -> None:
    assert (ROOT / folder / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()


def test_a_program_that_a_later_step_runs_is_missed_at_the_start(release: ModuleType) -> None:
    with pytest.raises(release.ReleaseError, match=r"has no no_such_module; run `make release`"):
        release.require_programs(["wheel", "no_such_module"])
    text = Path(str(release.__file__)).read_text(encoding="utf-8")
    run = set(re.findall(r'python\("-m", "(\w+)"', text)) - {"venv", "pytest", "pip"}
    assert run == set(release.PROGRAMS)
