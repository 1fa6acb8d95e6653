"""The text of CMakeLists.txt: golden, every shape of arguments, files of others, clear refusals. No cmake here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from musa_build import CMakeListsGenerator
from musa_build.errors import SettingError, SourceError

GOLDEN = Path(__file__).parent / "golden"


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("a.mu", "b.cpp", "c.c", 'sub dir/d "x" $y.mu'):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.touch()
    return tmp_path


def text(*arguments: Any, **options: Any) -> str:
    return CMakeListsGenerator(*arguments, **options).generate().read_text()


@pytest.mark.parametrize("kind", ["module", "shared"])
def test_golden(kind: str) -> None:
    """A change here changes every user's project: look at the difference, then write the golden file anew."""
    sources = ["a.mu", "b.cpp", "c.c", 'sub dir/d "x" $y.mu']
    written = text(
        sources, ["inc", "/usr/local/my inc"], ["m", "Torch::Torch", "-lpthread"], [("N", 1), ("S", '"x y"')], kind=kind
    )
    assert written == (GOLDEN / f"{kind}.cmake").read_text()


def test_strings_lists_paths_and_none_mean_the_same() -> None:
    """A string is one entry, never its letters."""
    expected = text(["a.mu"], ["inc"], ["/p/libx.so"], [("N", None)])
    assert "\n  /p/libx.so\n" in expected and "\n  N\n" in expected and "\n  inc\n" in expected
    for same in (
        ("a.mu", "inc", "/p/libx.so", "N"),
        (Path("a.mu"), (Path("inc"),), ("/p/libx.so",), {"N": None}),
    ):
        assert text(*same) == expected
    plain = text("a.mu", None, None, None)
    assert plain == text("a.mu") and "target_include_directories" not in plain


def test_targets_names_and_flags_are_passed_through_and_files_by_their_path(project: Path) -> None:
    (project / "libz.a").touch()
    written = text("a.mu", link_libraries=["Torch::Torch", "m", "-lpthread", "libz.a", "./lib/liby.so"])
    assert f"  Torch::Torch\n  m\n  -lpthread\n  {project}/libz.a\n  {project}/lib/liby.so\n" in written


def test_a_project_can_be_moved_and_written_elsewhere(project: Path) -> None:
    generator = CMakeListsGenerator(["a.mu"], "inc", output_dir=project / "out" / "deep")
    assert generator.generate() == project / "out" / "deep" / "CMakeLists.txt"
    assert f"  {project}/a.mu\n" in (project / "out/deep/CMakeLists.txt").read_text()
    assert str(project) not in text("a.mu", "inc"), "paths below the file are relative"


def test_writes_only_on_change_and_only_its_own_file(project: Path) -> None:
    path = CMakeListsGenerator("a.mu").generate()
    before = path.stat().st_mtime_ns
    assert CMakeListsGenerator("a.mu").generate().stat().st_mtime_ns == before
    path.write_text("project(mine)\n")
    with pytest.raises(SettingError, match=r"not written by CMakeListsGenerator.*force=True"):
        CMakeListsGenerator("a.mu").generate()
    assert path.read_text() == "project(mine)\n"
    assert "musa_add_extension(" in CMakeListsGenerator("a.mu", force=True).generate().read_text()


def test_a_text_of_the_users_own_is_written_as_it_is() -> None:
    written = text(["nowhere.mu"], customized_cmake_lists="project(own)\n")
    assert written.splitlines()[1:] == ["project(own)"]
    assert text(["nowhere.mu"], customized_cmake_lists="project(other)\n").endswith("project(other)\n"), "it is ours"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sources": []}, "got no sources"),
        ({"sources": None}, "got no sources"),
        ({"sources": "b.cp_p"}, "is not a source file"),
        ({"sources": "aa.mu"}, r"does not exist.*did you mean a\.mu"),
        ({"sources": [1]}, "not a path"),
        ({"sources": "a.mu", "kind": "modul"}, "module, shared, static"),
        ({"sources": "a.mu", "plugin_name": "my-plugin"}, "not a valid module name"),
        ({"sources": "a.mu", "project_name": "a b"}, "not a valid name in CMake"),
        ({"sources": "a.mu", "define_macros": [("A", "1;2")]}, "cannot list"),
    ],
)
def test_refusals(options: dict[str, Any], message: str, project: Path) -> None:
    with pytest.raises((SettingError, SourceError), match=message):
        CMakeListsGenerator(**options).generate()
    assert not (project / "CMakeLists.txt").exists()
