"""The arrows that ARCHITECTURE.md draws, held against the imports and includes of the code."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parent.parent
STANDARD_LIBRARY = getattr(sys, "stdlib_module_names", frozenset())  # Python 3.10+
#: Package -> the folder that it lies in
PACKAGES = {"musa_build": ROOT, "musa_sim": ROOT / "simulator", "musa_tools": ROOT / "tools"}
MOST_IMPORTS = 10
LONGEST_CHAIN = 7


def block(name: str) -> list[str]:
    """The lines of a fenced block of ARCHITECTURE.md."""
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    (found,) = re.findall(rf"^```{name}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    return [line for line in found.splitlines() if line.strip()]


def allowed_imports() -> dict[str, tuple[str, ...]]:
    """Package or module -> what it may import of its own top package."""
    allowed = {}
    for line in block("imports"):
        name, _, targets = line.partition("->")
        top = name.strip().split(".")[0]
        allowed[name.strip()] = tuple(f"{top}.{target}".removesuffix(".__init__") for target in targets.split())
    return allowed


def library_users() -> dict[str, tuple[str, ...]]:
    """Library -> the packages and modules that may import it. A library may have several lines."""
    users: dict[str, tuple[str, ...]] = {}
    for line in block("libraries"):
        library, *names = line.split()
        users[library] = (*users.get(library, ()), *names)
    return users


def modules() -> Iterator[tuple[str, Path]]:
    for package, folder in PACKAGES.items():
        for path in sorted((folder / package).rglob("*.py")):
            parts = list(path.relative_to(folder).with_suffix("").parts)
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            yield name, path


MODULES = dict(modules())
ALLOWED = allowed_imports()
LIBRARIES = library_users()


@cache
def parsed(name: str) -> ast.Module:
    return ast.parse(MODULES[name].read_text(encoding="utf-8"), str(MODULES[name]))


def imported(name: str, nodes: Iterator[ast.AST]) -> Iterator[str]:
    is_package = (PACKAGES[name.split(".")[0]] / Path(*name.split(".")) / "__init__.py").exists()
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parts = name.split(".")
                parts = parts[: len(parts) - node.level + is_package]
                base = ".".join([*parts, *([base] if base else [])])
            # `from package import module` names modules, `from module import thing` does not
            yield from (f"{base}.{alias.name}" if f"{base}.{alias.name}" in MODULES else base for alias in node.names)


@cache
def everywhere(name: str) -> set[str]:
    return set(imported(name, ast.walk(parsed(name))))


@cache
def at_import_time(name: str) -> frozenset[str]:
    """Our modules that are imported along with this one: not those of functions, not those for type checkers."""

    def walk(node: ast.AST) -> Iterator[ast.AST]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
                continue
            if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test):
                continue
            yield child
            yield from walk(child)

    return frozenset(target for target in imported(name, walk(parsed(name))) if target in MODULES and target != name)


def within(name: str, package: str) -> bool:
    return name == package or name.startswith(package + ".")


def line_of(name: str) -> str:
    """The line of ARCHITECTURE.md that covers a module: the nearest package's. A top package covers itself alone."""
    found = [each for each in ALLOWED if within(name, each) and (each not in PACKAGES or each == name)]
    assert found, f"{name} stands in no package that ARCHITECTURE.md lists"
    return max(found, key=len)


def is_allowed(name: str, target: str) -> bool:
    """Whether ARCHITECTURE.md lets a module import another one, or a library."""
    if target not in MODULES:
        return target.split(".")[0] in (STANDARD_LIBRARY | LIBRARIES.keys())
    own = line_of(name)
    allowed = (own, *ALLOWED[own])
    return target in allowed or any(within(target, each) for each in allowed if each not in PACKAGES)


# One test for all modules: a test for each takes longer to collect than to run.
@pytest.mark.skipif(not STANDARD_LIBRARY, reason="Python 3.9 does not list its standard library")
def test_imports_are_those_of_the_architecture() -> None:
    assert [(name, target) for name in MODULES for target in everywhere(name) if not is_allowed(name, target)] == []
    assert all(line_of(name) for name in MODULES)


@pytest.mark.parametrize("library", LIBRARIES)
def test_libraries_are_used_where_the_architecture_says(library: str) -> None:
    for name in MODULES:
        if any(within(target, library) for target in everywhere(name)):
            assert any(within(name, user) for user in LIBRARIES[library]), f"{name} imports {library}"


def test_each_arrow_is_needed() -> None:
    covered = {name: [module for module in MODULES if line_of(module) == name] for name in ALLOWED}
    assert [
        f"{name} -> {target}"
        for name, targets in ALLOWED.items()
        for target in targets
        if not any(within(used, target) for module in covered[name] for used in everywhere(module))
    ] == []


def test_only_one_module_starts_programs() -> None:
    users = {name for name in MODULES if "subprocess" in everywhere(name) and within(name, "musa_build")}
    scripts = {name for name in users if within(name, "musa_build.verify.programs")}
    assert users - scripts == {"musa_build.system.process"}


@pytest.mark.parametrize("name", ALLOWED)
def test_the_architecture_lists_what_exists(name: str) -> None:
    assert name in MODULES and all(target in MODULES for target in ALLOWED[name])


def chain(name: str, path: tuple[str, ...] = ()) -> tuple[str, ...]:
    """The longest chain of imports from a module on."""
    assert name not in path, "import cycle: " + " -> ".join([*path, name])
    return (name, *max((chain(target, (*path, name)) for target in at_import_time(name)), key=len, default=()))


@cache
def reaches(name: str) -> set[str]:
    """Return all modules that a module leads to, by imports anywhere: in functions and for type checkers as well."""
    found: set[str] = set()
    waiting = [name]
    while waiting:
        targets = (everywhere(waiting.pop()) & MODULES.keys()) - found
        found |= targets
        waiting += targets
    return found


def test_no_circles() -> None:
    """A package's __init__ imports its modules in functions, so that its public names are loaded on first use."""
    assert [name for name in MODULES if any(name in reaches(target) for target in reaches(name))] == []


def test_imports_are_few_and_chains_short() -> None:
    assert {name: sorted(at_import_time(name)) for name in MODULES if len(at_import_time(name)) > MOST_IMPORTS} == {}
    assert [" -> ".join(chain(name)) for name in MODULES if len(chain(name)) > LONGEST_CHAIN] == []


def test_no_global_state() -> None:
    assert [name for name in MODULES if any(isinstance(node, ast.Global) for node in ast.walk(parsed(name)))] == []


def test_importing_the_toolkit_is_light() -> None:
    """`import musa_build` happens in every setup.py, also where torch is missing."""
    code = (
        "import os; before = dict(os.environ); import musa_build, sys; assert dict(os.environ) == before; "
        "print([m for m in ('torch', 'setuptools', 'numpy', 'click') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert run.stdout.strip() == "[]"


_CXX = (".cpp", ".h", ".S", ".mu", ".muh")


class Tree(NamedTuple):
    """A folder of C++ whose folders ARCHITECTURE.md lists, from the lowest to the highest, with what they include.

    An include starts at the including file's folder, or at `top`.
    """

    block: str
    root: Path
    top: Path

    def folders(self) -> dict[str, tuple[str, ...]]:
        """Folder -> the folders that it includes."""
        lines = (line.partition("->") for line in block(self.block))
        return {name.strip(): tuple(targets.split()) for name, _, targets in lines}

    def texts(self) -> dict[str, str]:
        """File, by its path in the tree -> its text."""
        files = sorted(path for path in self.root.rglob("*") if path.suffix in _CXX)
        return {path.relative_to(self.root).as_posix(): path.read_text(encoding="utf-8") for path in files}

    def included(self, file: str, name: str) -> str:
        """The path in the tree of a file that another one includes; not always of one that exists."""
        beside = (self.root / file).parent / name
        path = beside if beside.exists() else self.top / name
        return Path(os.path.relpath(path, self.root)).as_posix()


_SIMULATOR = ROOT / "simulator" / "musa_sim"
_CSRC = ROOT / "backend" / "torch_musa" / "csrc"
TREES = {
    "runtime": Tree("runtime", _SIMULATOR / "runtime", _SIMULATOR / "runtime"),
    "libraries": Tree("sdk_libraries", _SIMULATOR / "libraries", _SIMULATOR / "libraries"),
    "backend": Tree("backend", _CSRC, ROOT / "backend"),
}
trees = pytest.mark.parametrize("tree", TREES.values(), ids=TREES)


def unit(file: str) -> str:
    """Name a source and its header alike: "streams/graph"."""
    return file.rpartition(".")[0]


def folder(name: str) -> str:
    return name.rpartition("/")[0] or "."


def declared_classes(text: str, end: str) -> set[str]:
    return set(
        re.findall(rf"^(?:class|struct) (?:[A-Z_]+ )?(\w+)(?: final)?(?: : [^;{{]*)?\s*{end}", text, re.MULTILINE)
    )


def includes(tree: Tree, texts: dict[str, str]) -> dict[str, set[str]]:
    """Unit -> the units that it depends on: by includes, and by forward declarations of their classes."""
    defined = [(name, unit(file)) for file, text in texts.items() for name in declared_classes(text, "{")]
    names = Counter(name for name, _ in set(defined))
    owners = {name: owner for name, owner in defined if names[name] == 1}  # a name of several files shows nothing
    found: dict[str, set[str]] = {unit(file): set() for file in texts}
    for file, text in texts.items():
        for quote, name in re.findall(r'^ *# *include (["<])(.+)[">]', text, re.MULTILINE):
            target = tree.included(file, name)
            if quote == '"' or target in texts:
                found[unit(file)].add(unit(target))
        found[unit(file)] |= {owners[name] for name in declared_classes(text, ";") if name in owners}
    return {name: targets - {name} for name, targets in found.items()}


def circles(arrows: dict[str, set[str]]) -> list[str]:
    """Remove nodes without dependencies until none is left; return the rest: the circles, and nodes that need them."""
    left = dict(arrows)
    while free := [name for name, targets in left.items() if not targets & left.keys()]:
        for name in free:
            del left[name]
    return sorted(left)


@cache
def includes_of(tree: Tree) -> dict[str, set[str]]:
    return includes(tree, tree.texts())


@trees
def test_folders_of_cxx_include_what_the_architecture_says(tree: Tree) -> None:
    used: dict[str, set[str]] = {folder(name): set() for name in includes_of(tree)}
    for name, targets in includes_of(tree).items():
        used[folder(name)] |= {folder(target) for target in targets if target in includes_of(tree)} - {folder(name)}
    assert used == {name: set(targets) for name, targets in tree.folders().items()}


@trees
def test_no_arrow_between_folders_of_cxx_points_up(tree: Tree) -> None:
    order = list(tree.folders())
    for name, targets in tree.folders().items():
        assert all(order.index(target) < order.index(name) for target in targets), name


@trees
def test_no_circles_in_cxx(tree: Tree) -> None:
    assert circles(includes_of(tree)) == []


def test_the_runtime_includes_itself_alone() -> None:
    found = includes_of(TREES["runtime"])
    assert all(target in found for targets in found.values() for target in targets)


def test_circles_of_cxx_would_be_found(tmp_path: Path) -> None:
    texts = {
        "a/x.h": "class Y;\nclass X {\n};",
        "a/x.cpp": '#include "x.h"',
        "b/y.h": '#include "top/a/x.h"\nclass Y {\n};',
    }
    (tmp_path / "top/a").mkdir(parents=True)
    (tmp_path / "top/a/x.h").touch()
    arrows = includes(Tree("", tmp_path / "top", tmp_path), texts)
    assert arrows == {"a/x": {"b/y"}, "b/y": {"a/x"}}
    assert circles(arrows) == ["a/x", "b/y"]
