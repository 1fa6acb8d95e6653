"""Record the commands of torch's BuildExtension and setuptools instead of running them.

torch and setuptools decide every flag (include directories, defines, the C++ standard, limited API, the extension's
name), and these decisions change between releases. So recording leaves the decisions to them: while one extension is
"built", setuptools' compiler object records its commands. It replaces only documented override points
(`object_filenames`, `_compile`, `call`/`spawn`) on that one object, and restores them afterwards.

If a future release calls the compiler in a different way, recording stops with an error that asks for a report. It does
not guess.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Optional

from ..environment.torch_info import IMPORT_FAILURES, torch_build_tools, torch_not_found
from ..errors import UnexpectedToolError
from ..toolchain.compilers import Language, language_of, split_standard


@dataclass(frozen=True)
class RecordedCompile:
    """A compile command of torch and setuptools, in parts.

    Attributes:
        source: The source.
        output: The object.
        language: The language to compile it as.
        head: The compiler with the flags that Python was built with.
        preprocessor: -I, -D, -U and -c.
        flags: The other flags, without any -std=.
        requested_standard: The user's -std=.
        torch_standard: The -std= that torch adds by default: the oldest that its headers compile with.
    """

    source: str
    output: str
    language: Language
    head: tuple[str, ...]
    preprocessor: tuple[str, ...]
    flags: tuple[str, ...]
    requested_standard: Optional[str]
    torch_standard: Optional[str]


@dataclass(frozen=True)
class RecordedLink:
    """A link command of setuptools; `output` is the destination of the library."""

    command: tuple[str, ...]
    output: str


@dataclass
class Recording:
    """The commands of one extension; `record` adds to them while it is active."""

    compiles: list[RecordedCompile] = field(default_factory=list)
    links: list[RecordedLink] = field(default_factory=list)


@dataclass(frozen=True)
class _Unit:
    """The source that is being "compiled"."""

    source: str
    cxx_name: str  # the name to pass to torch and setuptools, which take it for C++
    output: str
    language: Language
    preprocessor: tuple[str, ...]
    requested_standard: Optional[str]


@contextmanager
def record(compiler: Any, *, forced: Callable[[str], bool], object_name: Callable[[str], str]) -> Iterator[Recording]:
    """Record the commands of `compiler`, a setuptools compiler that torch has prepared, instead of running them.

    `object_name` returns the object file of a source, and `forced` whether mcc compiles a C++ source. Flags come as
    torch's dictionary {"cxx": [...], "mcc": [...]}.
    """
    recorder = _Recorder(compiler._compile, forced)
    with _replaced(
        compiler,
        call=recorder.run,
        spawn=recorder.run,
        _compile=recorder.compile,
        object_filenames=lambda sources, *_, **__: [object_name(str(source)) for source in sources],
    ):
        yield recorder.recording


@contextmanager
def derived_from_torch(command: Any) -> Iterator[None]:
    """Make `command` an instance of a class that also derives from torch's BuildExtension.

    So `super()` in its own class means torch's class, for the length of the block.

    Raises:
        TorchNotFoundError: torch cannot be imported.
    """
    try:
        torch_command = torch_build_tools().BuildExtension
    except IMPORT_FAILURES as error:
        raise torch_not_found(error) from error
    own = type(command)
    command.__class__ = type(own.__name__, (own, torch_command), {})
    try:
        yield
    finally:
        command.__class__ = own


def forced_flags(cxx: Sequence[str], mcc: Sequence[str]) -> list[str]:
    """Return the flags of a C++ source that mcc compiles: both lists, but each macro once.

    torch adds the same macros to both lists. Other arguments may belong to the one before them, so they are kept.
    """
    macros = {flag for flag in cxx if flag.startswith("-D") and flag != "-D"}
    return [*cxx, *(flag for flag in mcc if flag not in macros)]


class _Recorder:
    def __init__(self, torch_compile: Callable[..., None], forced: Callable[[str], bool]) -> None:
        self.recording = Recording()
        self._torch_compile = torch_compile
        self._forced = forced
        self._unit: Optional[_Unit] = None

    def compile(
        self, output: str, source: str, suffix: str, preprocessor: Sequence[str], flags: Any, options: Any
    ) -> None:
        """Replace `compiler._compile`: choose the flags, then have torch and setuptools build the command."""
        language = language_of(source)
        if language is Language.CXX and self._forced(source):
            language = Language.MUSA
            chosen = forced_flags(flags["cxx"], flags["mcc"])
        else:
            chosen = list(flags["mcc"] if language is Language.MUSA else flags["cxx"])
        standard, others = split_standard(chosen)
        # torch must take a MUSA source for C++. Otherwise it looks for nvcc. For C++ it only adds its default -std=.
        cxx_name = source if language is Language.C else f"{source}.cpp"
        count = len(self.recording.compiles)
        self._unit = _Unit(source, cxx_name, output, language, tuple(preprocessor), standard)
        try:
            self._torch_compile(output, cxx_name, ".cpp", list(preprocessor), list(others), options)
        finally:
            self._unit = None
        if len(self.recording.compiles) != count + 1:
            raise _unexpected(f"no command was run for {source}")

    def run(self, command: Sequence[Any], *_: Any, **__: Any) -> None:
        """Replace `compiler.call` and `compiler.spawn`: record the command."""
        argv = tuple(str(argument) for argument in command)
        if self._unit is not None:
            self.recording.compiles.append(_parse_compile(argv, self._unit))
        elif "-o" in argv[:-1]:
            self.recording.links.append(RecordedLink(argv, argv[argv.index("-o") + 1]))
        else:
            raise _unexpected(f"a command that is neither a compile nor a link: {' '.join(argv)}")


def _parse_compile(argv: tuple[str, ...], unit: _Unit) -> RecordedCompile:
    """Parse a command of the form `head preprocessor... source -o output tail...`. Any other form is an error."""
    at = argv.index(unit.cxx_name) if unit.cxx_name in argv else -1
    start = at - len(unit.preprocessor)
    if at < 0 or start < 0 or argv[start:at] != unit.preprocessor or argv[at + 1 : at + 3] != ("-o", unit.output):
        raise _unexpected(f"the command {' '.join(argv)}")
    torch_standard, flags = split_standard(argv[at + 3 :])
    return RecordedCompile(
        source=unit.source,
        output=unit.output,
        language=unit.language,
        head=argv[:start],
        preprocessor=unit.preprocessor,
        flags=flags,
        requested_standard=unit.requested_standard,
        torch_standard=torch_standard,
    )


def _unexpected(found: str) -> UnexpectedToolError:
    return UnexpectedToolError(
        "this release of musa_build does not support the way torch or setuptools runs the compiler",
        found=found,
        wanted="compiler flags source -o object flags",
        hint="please report this with the versions of torch and setuptools",
    )


@contextmanager
def _replaced(target: Any, **attributes: Any) -> Iterator[None]:
    """Replace instance attributes for the length of the block, and restore them afterwards."""
    missing = object()
    saved = {name: vars(target).get(name, missing) for name in attributes}
    vars(target).update(attributes)
    try:
        yield
    finally:
        for name, value in saved.items():
            if value is missing:
                vars(target).pop(name, None)
            else:
                vars(target)[name] = value
