"""`CMakeListsGenerator`: a CMakeLists.txt that builds C++ and MUSA sources, with the arguments of torch_musa's class.

The project it writes finds the CMake package that ships with musa_build (cmake/) and uses its verbs, so it is short
enough to be read and taken over. What the text says is decided here, how it is said in cmake_templates/.
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
    """Writes a CMakeLists.txt that compiles `sources` with mcc and the host compiler.

    Lists may be single strings, Path objects, tuples or None; relative paths are relative to the current directory.
    `link_libraries` may be files, names, CMake targets or flags such as -lpthread. `define_macros` are (name, value)
    pairs, a dictionary, "NAME" or "NAME=value". `customized_cmake_lists` is a whole text to write instead of ours.

    `kind`: a Python "module" named `plugin_name` (the default), a "shared" or a "static" library. `torch`: whether it
    may use torch's headers and is linked to torch. `output_dir` is where CMakeLists.txt goes (default: the current
    directory). A file there that this class did not write is only replaced with `force`.
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
        self.sources = _texts(sources, "sources")
        self.include_dirs = _texts(include_dirs, "include_dirs")
        self.link_libraries = _texts(link_libraries, "link_libraries")
        self.define_macros = _macros(define_macros)
        self.project_name = project_name
        self.plugin_name = plugin_name
        self.customized_cmake_lists = customized_cmake_lists
        self.kind = kind
        self.torch = torch
        self.output_dir = Path(output_dir) if output_dir is not None else Path()
        self.force = force

    def generate(self) -> Path:
        """Writes the file where it changed, and returns its path.

        Raises SourceError for a source that is missing or of an unknown kind, SettingError for an argument that means
        nothing and for a CMakeLists.txt that somebody else wrote.
        """
        text = self.customized_cmake_lists
        if text is None:
            text = render(self._project())
        elif MARKER not in text:
            text = f"{MARKER}\n{text}"
        path = self.output_dir / FILE_NAME
        if path.exists() and not self.force and not _ours(path):
            raise SettingError(
                f"{path} was not written by CMakeListsGenerator",
                found="a file without its first line",
                wanted="no file, or one of ours",
                hint="pass force=True to replace it, or output_dir to write elsewhere",
            )
        files.write_if_changed(path, text)
        return path

    def _project(self) -> CMakeProject:
        if self.kind not in KINDS:
            raise SettingError("kind means nothing", found=repr(self.kind), wanted=", ".join(KINDS))
        _check_sources(self.sources)
        for name, value in (("project_name", self.project_name), ("plugin_name", self.plugin_name)):
            if not all(letter.isalnum() or letter in "_.+-" for letter in value) or not value:
                raise SettingError(f"{name} is no name for CMake", found=repr(value), wanted="letters, digits and _.+-")
        if self.kind == "module" and not self.plugin_name.isidentifier():
            raise SettingError("plugin_name is no name for a module", found=self.plugin_name, wanted="an identifier")
        return CMakeProject(
            project_name=self.project_name,
            plugin_name=self.plugin_name,
            kind=self.kind,
            torch=self.torch,
            languages=("CXX", "C") if any(_suffix(source) in _C_SUFFIXES for source in self.sources) else ("CXX",),
            sources=tuple(_seen_from(self.output_dir, source) for source in self.sources),
            include_dirs=tuple(_seen_from(self.output_dir, place) for place in self.include_dirs),
            define_macros=self.define_macros,
            link_libraries=tuple(_library(library) for library in self.link_libraries),
        )


@dataclass(frozen=True)
class CMakeProject:
    """What the template is filled with; paths as CMake shall read them."""

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
    """The text of CMakeLists.txt."""
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
    """One argument of a CMake command: bare where that is safe, for files are read more often than written."""
    bare = text and all(letter.isalnum() or letter in "_./:+-=@%" for letter in text)
    return text if bare else quoted(text)


def _ours(path: Path) -> bool:
    return MARKER in path.read_text(encoding="utf-8", errors="replace")


def _texts(value: Paths, name: str) -> tuple[str, ...]:
    """A path or some of them as texts; None stands for none. A text is never taken for a list of letters."""
    listed = [value] if isinstance(value, (str, os.PathLike)) else list(value or ())
    for item in listed:
        if not isinstance(item, (str, os.PathLike)):
            raise SettingError(f"{name} holds something that is no path", found=repr(item), wanted="text or Path")
        if any(mark in os.fspath(item) for mark in ";\n"):
            raise SettingError(f"{name} holds a name that CMake cannot list", found=repr(item), wanted="no ; in it")
    return tuple(os.fspath(item) for item in listed)


def _macros(value: Macros) -> tuple[str, ...]:
    """Macros as NAME or NAME=value. CMake quotes values for the compiler by itself."""
    if value is None:
        return ()
    if isinstance(value, Mapping):
        return tuple(_macro(name, content) for name, content in value.items())
    listed = [value] if isinstance(value, str) else value
    return tuple(item if isinstance(item, str) else _macro(*item) for item in listed)


def _macro(name: str, value: object = None) -> str:
    text = name if value is None else f"{name}={value}"
    if ";" in text or "\n" in text:
        raise SettingError("define_macros holds a value that CMake cannot list", found=repr(text), wanted="no ; in it")
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
            raise SourceError(f"{source} is no source file", found=f"suffix {path.suffix!r}", wanted=known)
        if not path.is_file():
            beside = [entry.name for entry in path.parent.iterdir()] if path.parent.is_dir() else []
            near = difflib.get_close_matches(path.name, beside, n=1)
            raise SourceError(
                "a source of the CMake project does not exist",
                found=source,
                wanted="a file, named relative to the current directory",
                hint=f"did you mean {path.parent / near[0]}?" if near else "",
            )


def _seen_from(directory: Path, path: str) -> str:
    """Relative to CMakeLists.txt where the file is below it, so that the project can be moved; else absolute."""
    absolute, base = Path(path).absolute(), directory.absolute()
    try:
        return absolute.relative_to(base).as_posix() if ".." not in absolute.parts else absolute.as_posix()
    except ValueError:
        return absolute.as_posix()


def _library(library: str) -> str:
    """Targets, names, flags and expressions as they are; files by their path."""
    is_path = library.startswith((".", "/", "~")) or ("/" in library and not library.startswith(("-", "$")))
    if is_path or Path(library).is_file():
        return str(Path(library).expanduser().absolute())
    return library
