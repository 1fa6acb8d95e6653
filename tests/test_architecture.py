"""The arrows of ARCHITECTURE.md, held against the code's own imports."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
STANDARD_LIBRARY = getattr(sys, "stdlib_module_names", frozenset())  # Python 3.10+
PACKAGES = ("musa_build", "musa_sim")

#: A room (longest prefix wins) -> what its modules may import besides the standard library and themselves.
ALLOWED: dict[str, tuple[str, ...]] = {
    "musa_build.errors": (),
    "musa_build.system.files": ("musa_build.errors",),
    "musa_build.system.process": ("musa_build.errors",),
    "musa_build.porting": ("musa_build.errors", "musa_build.logger_util", "musa_build.system.files"),
    "musa_build.porting.noop_cache": (),
    "musa_build.porting.engine": ("musa_build.errors",),
    "musa_build.porting.tree": ("musa_build.errors", "musa_build.system.files", "musa_build.porting.engine"),
    "musa_build.porting.report": ("musa_build.porting.engine", "jinja2"),
    "musa_build.porting.pytorch": (
        "musa_build.errors",
        "musa_build.system.files",
        "musa_build.porting.engine",
        "musa_build.porting.tree",
        "musa_build.porting.report.summary",
    ),
    "musa_sim.mcc": (),
    "musa_sim": ("filelock",),
}

#: Heavy libraries -> the only modules that may name them, even inside a function.
ONLY_IN: dict[str, tuple[str, ...]] = {
    "torch": (
        "musa_build.environment.torch_info",
        "musa_build.jit",
        "musa_build.builder.recorder",
        "musa_build.force_musa.self_test",
    ),
    "setuptools": ("musa_build.extension", "musa_build.force_musa.setup_watch"),
    "distutils": (),
    "subprocess": ("musa_build.system.process", "musa_sim"),
}


def modules() -> Iterator[tuple[str, ast.Module]]:
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            parts = list(path.relative_to(ROOT).with_suffix("").parts)
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            yield name, ast.parse(path.read_text(encoding="utf-8"), str(path))


MODULES = dict(modules())


def imported(name: str, nodes: Iterator[ast.AST]) -> Iterator[str]:
    is_package = (ROOT / Path(*name.split(".")) / "__init__.py").exists()
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


def everywhere(name: str) -> set[str]:
    return set(imported(name, ast.walk(MODULES[name])))


def at_import_time(name: str) -> set[str]:
    """Imports that run when the module is imported: not those of functions, not those for type checkers."""

    def walk(node: ast.AST) -> Iterator[ast.AST]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
                continue
            if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test):
                continue
            yield child
            yield from walk(child)

    return set(imported(name, walk(MODULES[name])))


def within(name: str, room: str) -> bool:
    return name == room or name.startswith(room + ".")


@pytest.mark.skipif(not STANDARD_LIBRARY, reason="Python 3.9 does not list its standard library")
@pytest.mark.parametrize("name", MODULES)
def test_imports_point_the_right_way(name: str) -> None:
    package = name.split(".")[0]
    other = {"musa_build": ("musa_sim", "musa_tools"), "musa_sim": ("musa_build", "musa_tools")}[package]
    for target in everywhere(name):
        assert not any(within(target, package) for package in other), f"{name} imports {target}"
    rooms = [room for room in ALLOWED if within(name, room)]
    if rooms:
        room = max(rooms, key=len)
        for target in everywhere(name):
            own = within(target, room) or target.split(".")[0] in STANDARD_LIBRARY
            assert own or any(within(target, allowed) for allowed in ALLOWED[room]), f"{name} imports {target}"


@pytest.mark.parametrize("library", ONLY_IN)
def test_heavy_libraries_have_one_door(library: str) -> None:
    for name in MODULES:
        if any(within(target, library) for target in everywhere(name)):
            assert any(within(name, door) for door in ONLY_IN[library]), f"{name} imports {library}"


def test_no_import_cycles() -> None:
    edges = {
        name: {target for target in at_import_time(name) if target in MODULES and target != name} for name in MODULES
    }
    done: set[str] = set()

    def visit(name: str, path: tuple[str, ...]) -> None:
        assert name not in path, "import cycle: " + " -> ".join([*path, name])
        if name not in done:
            for target in edges[name]:
                visit(target, (*path, name))
            done.add(name)

    for name in MODULES:
        visit(name, ())


@pytest.mark.parametrize("name", MODULES)
def test_no_global_state(name: str) -> None:
    assert not any(isinstance(node, ast.Global) for node in ast.walk(MODULES[name]))


def test_importing_the_toolkit_is_light() -> None:
    """`import musa_build` happens in every setup.py, also where torch is missing."""
    import subprocess

    code = (
        "import os; before = dict(os.environ); import musa_build, sys; assert dict(os.environ) == before; "
        "print([m for m in ('torch', 'setuptools', 'numpy', 'click') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert run.stdout.strip() == "[]"
