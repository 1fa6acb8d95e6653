"""The build that this process was started for, and whether the setup.py that it runs supports MUSA without help.

Standard library only: the start-up hook imports this module.
"""

from __future__ import annotations

import ast
import os
import re
import sys
from pathlib import Path
from typing import Optional

# A setup.py that imports one of these modules, or uses one of these names, supports MUSA.
_MODULES = ("musa_build", "torch_musa")
_NAMES = ("MUSAExtension",)
# So does one with one of these texts: an environment variable, a module to import or a requirement.
_TEXTS = r"(FORCE_MUSA|MUSAExtension|musa_build|torch_musa)(?:\.[\w.]*|\s*[\[<>=!~@;].*)?"

# Modules that start CMake, and its name as a word of a command.
_STARTS_CMAKE = re.compile(r"""\b(?:skbuild|cmake_build_extension|CMakeExtension)\b|["']cmake3?["']""")
# Its name at the start of a line for the shell, perhaps after variables, before an option, a path or a value that is
# filled in; what runs lines.
_CMAKE_LINE = re.compile(
    r"""["'\n;&|(][ \t]*(?:(?:env|exec|time|\w+=[^\s;&|]*)[ \t]+)*cmake3?[ \t]+(?:-\w|[./$~{"']|%[sr(])"""
)
_RUNS_LINES = re.compile(r"\b(?:system|popen|Popen|run|call|check_call|check_output|getoutput|spawn)\s*\(")
# nvcc as a command or as the name of a program, with its folder or not. A key of `extra_compile_args` is neither.
_NVCC = re.compile(r"""(?<![\w)\]]\[)(?<!\.get\()["'](?:[^"'\s]*/)?nvcc(?:["'](?!\s*:)|\s)""")
_MAKE = re.compile(r"""["']make["'\s]""")
_IMPORTS_TORCH = re.compile(r"^\s*(?:import|from)\s+torch\b", re.MULTILINE)
_IMPORTED = re.compile(r"^\s*(?:import|from)\s+(\w+)", re.MULTILINE)
_SAYS = frozenset({"print", "announce", "log", "debug", "info", "warn", "warning", "error", "critical", "exception"})

# The commands of a setup.py that build, and those that pip runs first. The answers of these, above all the version,
# must be those of the build.
BUILDING = ("build", "build_ext", "bdist_wheel", "bdist_egg", "install", "develop", "editable_wheel")
METADATA = ("egg_info", "dist_info")
# The hooks of PEP 517, and those that ask for their requirements and metadata.
_WHEEL_HOOK = re.compile(r"build_(?:wheel|editable)\b")


def command_line() -> tuple[str, ...]:
    """Return the command line of this process, with the options of Python; nothing if it is not known."""
    try:
        return tuple(os.fsdecode(Path("/proc/self/cmdline").read_bytes()).split("\0")[:-1])
    except OSError:
        return ()


def makes_a_wheel() -> bool:
    """Return whether this process was started for a wheel or an install: not for a source distribution, or a question.

    Each process of a front end counts, and any build system.
    """
    return any(word in (*BUILDING, *METADATA) or _WHEEL_HOOK.search(word) for word in command_line()[1:])


def makes_only_a_wheel() -> bool:
    """Return whether the outcome of this process is a wheel or its metadata: no install, and no build in place."""
    words = command_line()[1:]
    return makes_a_wheel() and not any(word in BUILDING and word != "bdist_wheel" for word in words)


def is_building() -> bool:
    """Return whether this process runs a setup.py or the build backend of setuptools."""
    return _is_setup_py(_script()) or "setuptools.build_meta" in sys.modules or _is_pips_setup_py()


def is_build_to_force() -> bool:
    """Return whether this process builds a package that does not support MUSA."""
    return is_building() and musa_support() is None


def musa_support(path: str | os.PathLike[str] | None = None) -> Optional[str]:
    """Return the part of a setup.py (default: this build's) that supports MUSA, with its line; None without one.

    Imports and names count; comments and messages do not. A file that is missing or not Python has no support.
    """
    script = _script()
    try:
        tree = ast.parse(Path(path or (script if _is_setup_py(script) else "setup.py")).read_bytes())
    except (OSError, SyntaxError, ValueError):
        return None
    marks = ((_mark(node), getattr(node, "lineno", 0)) for node in ast.walk(tree))
    return next((f"{mark} in line {line}" for mark, line in marks if mark), None)


def runs_compilers() -> bool:
    """Return whether the setup.py of this build compiles CUDA by commands of its own, and not by PyTorch's tools."""
    return runs_cmake() or runs_nvcc()


def runs_cmake() -> bool:
    """Return whether the setup.py of this build starts CMake and has no extensions of PyTorch's kind."""
    code = _code_of(Path("setup.py"))
    if "CUDAExtension" in code:
        return False
    if _STARTS_CMAKE.search(code):
        return True
    return bool(_CMAKE_LINE.search(code) and _RUNS_LINES.search(code) and _CMAKE_LINE.search(_without_prose(code)))


def runs_nvcc() -> bool:
    """Return whether the setup.py of this build starts nvcc, or make with such a Makefile, and not PyTorch's tools.

    Its helpers count: modules beside it that it imports. A package that compiles when it is used does not.
    """
    from .project_files import loads_with_torch, makefiles_with_nvcc

    codes = _codes_of_setup()
    if not codes or any(_IMPORTS_TORCH.search(code) for code in codes) or loads_with_torch(Path()):
        return False
    if names_nvcc():
        return True
    is_make = any(_MAKE.search(_without_prose(code)) for code in codes)
    return is_make and bool(next(makefiles_with_nvcc(Path()), ""))


def names_nvcc() -> bool:
    """Return whether the setup.py of this build, or a module beside it that it imports, names nvcc as a command."""
    return any(_NVCC.search(_without_prose(code)) for code in _codes_of_setup())


def _codes_of_setup() -> list[str]:
    """Return the code of setup.py and of the modules beside it that it imports; nothing if there is no setup.py."""
    setup = _code_of(Path("setup.py"))
    beside = (Path(name).with_suffix(".py") for name in dict.fromkeys(_IMPORTED.findall(setup)))
    return [setup, *(_code_of(path) for path in beside if path.is_file())] if setup else []


def _code_of(path: Path) -> str:
    """Return the lines of a Python file that are no comments, "" if it cannot be read."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    return re.sub(r"^\s*#.*$", "", text, flags=re.MULTILINE)


def _without_prose(code: str) -> str:
    """Return the lines of a setup.py without its docstrings and messages; all of a text that is not Python."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError):
        return code
    lines = code.split("\n")
    for node in ast.walk(tree):
        if isinstance(node, (ast.Expr, ast.Raise)) and _is_prose(node):
            first, last = node.lineno - 1, node.end_lineno
            lines[first:last] = [""] * len(lines[first:last])
    return "\n".join(lines)


def _is_prose(node: ast.Expr | ast.Raise) -> bool:
    """Return whether a statement is a text, says something or raises an error."""
    if isinstance(node, ast.Raise):
        return True
    if isinstance(node.value, ast.Call):
        return ast.unparse(node.value.func).rpartition(".")[2] in _SAYS
    return isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def variables_read(script: str | os.PathLike[str] = "setup.py") -> list[str]:
    """Return the environment variables that a setup.py reads by their names, in the order of its lines."""
    try:
        tree = ast.parse(Path(script).read_bytes())
    except (OSError, SyntaxError, ValueError):
        return []
    read = filter(None, map(_variable_of, ast.walk(tree)))
    return list(dict.fromkeys(name for _, _, name in sorted(read)))


def _variable_of(node: ast.AST) -> Optional[tuple[int, int, str]]:
    """Return the variable that a node reads, and where: os.getenv(name), os.environ[name], name in os.environ."""
    name: Optional[ast.expr] = None
    if isinstance(node, ast.Call) and node.args and ast.unparse(node.func).endswith(("getenv", "environ.get")):
        name = node.args[0]
    elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load) and _is_environ(node.value):
        name = node.slice
    elif isinstance(node, ast.Compare) and any(_is_environ(each) for each in node.comparators):
        name = node.left
    if isinstance(name, ast.Constant) and isinstance(name.value, str):
        return name.lineno, name.col_offset, name.value
    return None


def _is_environ(node: ast.AST) -> bool:
    return ast.unparse(node) in ("os.environ", "environ")


def _mark(node: ast.AST) -> str:
    """Return the module or name by which a node shows support for MUSA, "" if it shows none."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        found = re.fullmatch(_TEXTS, node.value.strip())
        return found[1] if found else ""
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        names = [alias.name for alias in node.names] + [getattr(node, "module", None) or ""]
        roots = [name.partition(".")[0] for name in names]
        return next((root for root in roots if root in (*_MODULES, *_NAMES)), "")
    name = getattr(node, "id", None) or getattr(node, "attr", None)
    return str(name) if name in _NAMES else ""


def _script() -> str:
    argv: list[str] = getattr(sys, "argv", None) or [""]  # missing while Python starts
    return argv[0]


def _is_pips_setup_py() -> bool:
    """Return whether this process runs a setup.py by a text after -c, as older releases of pip start it."""
    text = " ".join(command_line()) if _script() == "-c" else ""
    return "setuptools" in text and "setup.py" in text


def _is_setup_py(path: str) -> bool:
    return path.rpartition(os.sep)[2] == "setup.py"
