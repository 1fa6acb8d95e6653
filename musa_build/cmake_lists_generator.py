"""`CMakeListsGenerator`: write a CMakeLists.txt for C++ and MUSA sources, with the arguments of torch_musa's class.

The generated project uses the functions of musa_build's CMake package (cmake/), so it is short and easy to adopt. This
module chooses the values and cmake_templates/ has the text. The template is jinja2's, because it has loops and
conditions: with string.Template they would move here, and the text could not be read in one file.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional, Union

from .cmake.facts import quoted
from .errors import SettingError, SourceError
from .system import files

PathLike = Union[str, "os.PathLike[str]"]
Paths = Union[PathLike, Sequence[PathLike], None]
Macros = Union[str, Mapping[str, object], Sequence[Any], None]

FILE_NAME = "CMakeLists.txt"
MARKER = "# Written by musa_build's CMakeListsGenerator, which will write it again."
KINDS = ("module", "shared", "static")

_C_SUFFIXES = (".c",)
_CXX_SUFFIXES = (".cpp", ".cc", ".cxx", ".c++", ".cp", ".C")
_MUSA_SUFFIXES = (".mu", ".cu")


class CMakeListsGenerator:
    """Write a CMakeLists.txt that compiles `sources` with mcc and the host compiler.

    Lists may be single strings, Path objects, tuples or None. Relative paths are relative to the current directory.

    Args:
        sources: The C, C++ and MUSA files.
        include_dirs: Include directories.
        link_libraries: Files, names, CMake targets or flags such as -lpthread.
        define_macros: (name, value) pairs, a dictionary, "NAME" or "NAME=value".
        project_name: The name of the CMake project.
        plugin_name: The name of the module or library.
        customized_cmake_lists: A whole text to write instead of the generated one.
        kind: A Python "module", a "shared" or a "static" library.
        torch: Whether it may use torch's headers and is linked to torch.
        output_dir: The directory of CMakeLists.txt; the default is the current directory.
        force: Replace a CMakeLists.txt that this class did not write.
    """

    def __init__(
        self,
        sources: Paths,
        include_dirs: Paths = None,
        link_libraries: Paths = None,
        define_macros: Macros = None,
        project_name: str = "DEMO_MUSA",
        plugin_name: str = "demo_musa",
        customized_cmake_lists: Optional[str] = None,
        *,
        kind: str = "module",
        torch: bool = True,
        output_dir: Optional[PathLike] = None,
        force: bool = False,
    ) -> None:
        self.sources = _path_list(sources, "sources")
        self.include_dirs = _path_list(include_dirs, "include_dirs")
        self.link_libraries = _path_list(link_libraries, "link_libraries")
        self.define_macros = _macros(define_macros)
        self.project_name = project_name
        self.plugin_name = plugin_name
        self.customized_cmake_lists = customized_cmake_lists
        self.kind = kind
        self.torch = torch
        self.output_dir = Path(output_dir) if output_dir is not None else Path()
        self.force = force

    def generate(self) -> Path:
        """Write the file if it changed, and return its path.

        Raises:
            SourceError: A source is missing or of an unknown kind.
            SettingError: An argument is invalid, or the CMakeLists.txt was not written by this class.
        """
        text = self.customized_cmake_lists
        if text is None:
            text = render(self._project())
        elif MARKER not in text:
            text = f"{MARKER}\n{text}"
        path = self.output_dir / FILE_NAME
        if path.exists() and not self.force and not _is_generated(path):
            raise SettingError(
                f"{path} was not written by CMakeListsGenerator",
                found="a file without its first line",
                wanted="no file, or a generated one",
                hint="pass force=True to replace it, or output_dir to write elsewhere",
            )
        files.write_if_changed(path, text)
        return path

    def _project(self) -> CMakeProject:
        if self.kind not in KINDS:
            raise SettingError("unknown kind of library", found=repr(self.kind), wanted=", ".join(KINDS))
        _check_sources(self.sources)
        for name, value in (("project_name", self.project_name), ("plugin_name", self.plugin_name)):
            if not all(letter.isalnum() or letter in "_.+-" for letter in value) or not value:
                raise SettingError(
                    f"{name} is not a valid name in CMake", found=repr(value), wanted="letters, digits and _.+-"
                )
        if self.kind == "module" and not self.plugin_name.isidentifier():
            raise SettingError("plugin_name is not a valid module name", found=self.plugin_name, wanted="an identifier")
        return CMakeProject(
            project_name=self.project_name,
            plugin_name=self.plugin_name,
            kind=self.kind,
            torch=self.torch,
            languages=("CXX", "C") if any(_suffix(source) in _C_SUFFIXES for source in self.sources) else ("CXX",),
            sources=tuple(_relative_path(self.output_dir, source) for source in self.sources),
            include_dirs=tuple(_relative_path(self.output_dir, path) for path in self.include_dirs),
            define_macros=self.define_macros,
            link_libraries=tuple(_library(library) for library in self.link_libraries),
        )


@dataclass(frozen=True)
class CMakeProject:
    """The values for the template. Paths have the form that CMake reads."""

    project_name: str
    plugin_name: str
    kind: str
    torch: bool
    languages: tuple[str, ...]
    sources: tuple[str, ...]
    include_dirs: tuple[str, ...]
    define_macros: tuple[str, ...]
    link_libraries: tuple[str, ...]


def render(project: CMakeProject) -> str:
    """Return the text of CMakeLists.txt."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "cmake_templates"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    environment.filters["argument"] = _argument
    return environment.get_template(f"{FILE_NAME}.jinja").render(**vars(project), marker=MARKER)


def _argument(text: str) -> str:
    """Return one argument of a CMake command, without quotes where that is safe, for readability."""
    bare = text and all(letter.isalnum() or letter in "_./:+-=@%" for letter in text)
    return text if bare else quoted(text)


def _is_generated(path: Path) -> bool:
    return MARKER in path.read_text(encoding="utf-8", errors="replace")


def _path_list(value: Paths, name: str) -> tuple[str, ...]:
    """Return one path, a list of them or None as a tuple of text."""
    items = [value] if isinstance(value, (str, os.PathLike)) else list(value or ())
    for item in items:
        if not isinstance(item, (str, os.PathLike)):
            raise SettingError(f"{name} contains a value that is not a path", found=repr(item), wanted="text or Path")
        if any(mark in os.fspath(item) for mark in ";\n"):
            raise SettingError(f"{name} contains a path that CMake cannot list", found=repr(item), wanted="no ; in it")
    return tuple(os.fspath(item) for item in items)


def _macros(value: Macros) -> tuple[str, ...]:
    """Return macros as NAME or NAME=value. CMake quotes the values for the compiler."""
    if value is None:
        return ()
    if isinstance(value, Mapping):
        return tuple(_macro(name, content) for name, content in value.items())
    items = [value] if isinstance(value, str) else value
    return tuple(item if isinstance(item, str) else _macro(*item) for item in items)


def _macro(name: str, value: object = None) -> str:
    text = name if value is None else f"{name}={value}"
    if ";" in text or "\n" in text:
        raise SettingError("define_macros has a value that CMake cannot list", found=repr(text), wanted="no ; in it")
    return text


def _suffix(source: str) -> str:
    suffix = Path(source).suffix
    return suffix if suffix == ".C" else suffix.lower()


def _check_sources(sources: Sequence[str]) -> None:
    if not sources:
        raise SourceError("CMakeListsGenerator got no sources", wanted="at least one .mu, .cu, .cpp or .c file")
    for source in sources:
        path = Path(source)
        if _suffix(source) not in (*_MUSA_SUFFIXES, *_CXX_SUFFIXES, *_C_SUFFIXES):
            known = ", ".join((*_MUSA_SUFFIXES, *_CXX_SUFFIXES, *_C_SUFFIXES))
            raise SourceError(f"{source} is not a source file", found=f"suffix {path.suffix!r}", wanted=known)
        if not path.is_file():
            beside = [entry.name for entry in path.parent.iterdir()] if path.parent.is_dir() else []
            near = difflib.get_close_matches(path.name, beside, n=1)
            raise SourceError(
                "a source of the CMake project does not exist",
                found=source,
                wanted="a file, named relative to the current directory",
                hint=f"did you mean {path.parent / near[0]}?" if near else "",
            )


def _relative_path(directory: Path, path: str) -> str:
    """Return a path relative to CMakeLists.txt if it is below it, so that the project can be moved; else absolute."""
    absolute, base = Path(path).absolute(), directory.absolute()
    try:
        return absolute.relative_to(base).as_posix() if ".." not in absolute.parts else absolute.as_posix()
    except ValueError:
        return absolute.as_posix()


def _library(library: str) -> str:
    """Return a target, name, flag or expression unchanged, and a file as its absolute path."""
    is_path = library.startswith((".", "/", "~")) or ("/" in library and not library.startswith(("-", "$")))
    if is_path or Path(library).is_file():
        return str(Path(library).expanduser().absolute())
    return library
