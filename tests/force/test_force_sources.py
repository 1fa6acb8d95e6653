"""Which files of a project are copied for porting: sources, headers and what they include; nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from musa_build.errors import SourceError
from musa_build.force_musa import jit
from musa_build.force_musa.source_files import digest_of_sources
from musa_build.force_musa.source_porting import PortedSources, port_sources

TREE = {
    "project/setup.py": "",
    "project/csrc/a.cu": '#include "../data/table.def"\n#include <names.list>\n  #  include "one"\n',
    "project/csrc/b.cpp": '#include "a.h"\n',
    "project/csrc/a.h": "",
    "project/csrc/native.mu": "",
    "project/data/table.def": '#include "more.txt"\n',
    "project/data/more.txt": "",
    "project/data/names.list": "",
    "project/data/one": "",
    "project/data/weights.safetensors": "#include",
    "project/data/credentials.ini": "password",
    "project/data/id_rsa": "key",
    "project/.env": "secret",
    "project/notes.txt": "",
    "project/module.py": "",
    "project/build/old.cu": "",
}
COPIED = {
    *("csrc/a.cu", "csrc/b.cpp", "csrc/a.h", "csrc/native.mu"),
    *("data/table.def", "data/more.txt", "data/names.list", "data/one"),
}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name, text in TREE.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def ported(tree: Path, *sources: str, project: str = "project") -> PortedSources:
    return port_sources(
        tree / "place", [str(tree / source) for source in sources], [str(tree / "project/data")], tree / project
    )


def copied(result: PortedSources) -> set[str]:
    return {str(path.relative_to(result.copy)) for path in result.copy.rglob("*") if path.is_file()}


def test_sources_headers_and_what_they_include_are_copied(tree: Path) -> None:
    assert copied(ported(tree, "project/csrc/a.cu", "project/csrc/b.cpp")) == COPIED


def test_a_source_that_is_listed_is_copied_from_wherever_it_lies(tree: Path) -> None:
    result = ported(tree, "project/csrc/a.cu", "project/build/old.cu")
    assert copied(result) == {*COPIED, "build/old.cu"}
    assert Path(result.to_ported(str(tree / "project/build/old.cu"))).suffix == ".mu"


def test_large_headers_are_copied(tree: Path) -> None:
    (tree / "project/csrc/a.h").write_text("//" + "x" * (9 << 20))
    assert "csrc/a.h" in copied(ported(tree, "project/csrc/a.cu"))


def test_what_is_no_longer_included_is_removed_from_the_copy(tree: Path) -> None:
    ported(tree, "project/csrc/a.cu")
    (tree / "project/csrc/a.cu").write_text("")
    assert copied(ported(tree, "project/csrc/a.cu")) == {name for name in COPIED if name.startswith("csrc")}


@pytest.mark.parametrize("mark", [".git", "pyproject.toml"])
def test_a_root_above_the_projects_is_refused(tree: Path, mark: str) -> None:
    (tree / "other" / mark).mkdir(parents=True)
    (tree / "other/y.cu").write_text("")
    with pytest.raises(SourceError, match="no directory in common within one project"):
        ported(tree, "project/csrc/a.cu", "other/y.cu")
    assert not list((tree / "place").rglob("*.cu"))


def test_one_repository_may_hold_both(tree: Path) -> None:
    """python/setup.py with sources in ../csrc."""
    (tree / ".git").mkdir()
    (tree / "other").mkdir()
    (tree / "other/y.cu").write_text("")
    assert "other/y.cu" in copied(ported(tree, "project/csrc/a.cu", "other/y.cu"))


def test_the_folder_of_all_packages_is_no_project(tree: Path) -> None:
    site = tree / "site-packages"
    for name in ("one", "two"):
        (site / name).mkdir(parents=True)
        (site / name / "k.cu").write_text("")
    with pytest.raises(SourceError, match="no directory in common"):
        ported(tree, "site-packages/one/k.cu", "site-packages/two/k.cu", project="site-packages")


def test_the_project_of_a_program(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sources = [str(tree / "project/csrc/a.cu"), str(tree / "project/data/k.cu")]
    monkeypatch.setattr("sys.path", [str(tree)])
    assert jit._project(sources) == tree / "project"
    monkeypatch.setattr("sys.path", [str(tree / "project")])
    assert jit._project(sources) == tree / "project"
    monkeypatch.setattr("sys.path", ["/elsewhere"])
    assert jit._project(sources) == tree / "project/csrc"


def test_a_temporary_folder_is_called_as_the_project(tree: Path) -> None:
    """Else each run of pip would compile other paths."""
    (tree / "project/top.cu").write_text("")
    sources = [str(tree / "project/top.cu"), str(tree / "project/csrc/a.cu")]
    result = port_sources(tree / "place", sources, (), tree / "project", project_name="name")
    assert result.copy.name == "name" and Path(result.to_ported(sources[0])).parent.name == "name"


def test_the_content_of_a_project_is_that_of_its_sources(tree: Path) -> None:
    before = digest_of_sources(tree / "project")
    (tree / "project/notes.txt").write_text("more")
    (tree / "project/build/old.cu").write_text("more")
    assert digest_of_sources(tree / "project") == before
    (tree / "project").rename(tree / "renamed")
    assert digest_of_sources(tree / "renamed") == before
    (tree / "renamed/csrc/a.h").rename(tree / "renamed/csrc/c.h")
    assert digest_of_sources(tree / "renamed") != before
