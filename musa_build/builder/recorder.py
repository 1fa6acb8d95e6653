"""What torch's BuildExtension and setuptools would run, recorded as values instead of run.

torch and setuptools decide every flag (include directories, defines, the C++ standard, limited API, the extension's
name), and those decisions change with their releases. So they are left to decide: while one extension is "built", the
compiler object that setuptools passes around writes down its commands. Only documented override points are touched
(`object_filenames`, `_compile`, `call`/`spawn`), on that one object, and put back afterwards.

Should a future release call the compiler in another shape, recording stops with an error that asks for a report; it
never guesses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Optional

from ..environment.torch_info import IMPORT_FAILURES, torch_not_found
from ..errors import UnexpectedToolError
from ..toolchain.cxx import split_standard
from ..toolchain.languages import Language, language_of


@dataclass(frozen=True)
class RecordedCompile:
    """One compile as torch and setuptools meant it, in parts.

    `head` is the compiler with the flags Python was built with, `preprocessor` -I, -D, -U and -c, `flags` the rest
    without any -std=. `asked_standard` is the user's -std=, `torch_standard` the one that torch adds by default, which
    is also the oldest that its headers compile with.
    """

    source: str
    output: str
    language: Language
    head: tuple[str, ...]
    preprocessor: tuple[str, ...]
    flags: tuple[str, ...]
    asked_standard: Optional[str]
    torch_standard: Optional[str]


@dataclass(frozen=True)
class RecordedLink:
    """One link as setuptools meant it; `output` is where the finished library belongs."""

    command: tuple[str, ...]
    output: str


@dataclass
class Recording:
    """What one extension's build consists of; filled while `record` is active."""

    compiles: list[RecordedCompile] = field(default_factory=list)
    links: list[RecordedLink] = field(default_factory=list)


@dataclass(frozen=True)
class _Unit:
    """The source that is being "compiled" right now."""

    source: str
    spelled: str  # what torch and setuptools are told: a name that they take for C++
    output: str
    language: Language
    preprocessor: tuple[str, ...]
    asked_standard: Optional[str]


@contextmanager
def record(compiler: Any, *, forced: Callable[[str], bool], object_name: Callable[[str], str]) -> Iterator[Recording]:
    """While active, `compiler` (a setuptools compiler that torch has prepared) records what it is asked to run.

    `object_name` gives the object file of a source; `forced` says which C++ sources go to mcc. Flags arrive as torch's
    dictionary {"cxx": [...], "mcc": [...]}.
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
    """While active, `command` is of a class that also derives from torch's BuildExtension, so that `super()` in its own
    class means torch's. Raises TorchNotFoundError."""
    try:
        from torch.utils.cpp_extension import BuildExtension as TorchBuildExtension
    except IMPORT_FAILURES as error:
        raise torch_not_found(error) from error
    own = type(command)
    command.__class__ = type(own.__name__, (own, TorchBuildExtension), {})
    try:
        yield
    finally:
        command.__class__ = own


def forced_flags(cxx: Sequence[str], mcc: Sequence[str]) -> list[str]:
    """Return the flags of a C++ source that mcc compiles: both lists, a macro that stands in both once.

    torch gives both lists the same macros. Other words may belong to the one before, and stay.
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
        """Stands in for `compiler._compile`: chooses the flags, then lets torch and setuptools build the command."""
        language = language_of(source)
        if language is Language.CXX and self._forced(source):
            language = Language.MUSA
            chosen = forced_flags(flags["cxx"], flags["mcc"])
        else:
            chosen = list(flags["mcc"] if language is Language.MUSA else flags["cxx"])
        standard, others = split_standard(chosen)
        # torch must take a MUSA source for C++, or it would look for nvcc; it then only adds its default -std=.
        spelled = source if language is Language.C else f"{source}.cpp"
        count = len(self.recording.compiles)
        self._unit = _Unit(source, spelled, output, language, tuple(preprocessor), standard)
        try:
            self._torch_compile(output, spelled, ".cpp", list(preprocessor), list(others), options)
        finally:
            self._unit = None
        if len(self.recording.compiles) != count + 1:
            raise _unexpected(f"no command was run for {source}")

    def run(self, command: Sequence[Any], *_: Any, **__: Any) -> None:
        """Stands in for `compiler.call` and `compiler.spawn`."""
        words = tuple(str(word) for word in command)
        if self._unit is not None:
            self.recording.compiles.append(_parse_compile(words, self._unit))
        elif "-o" in words[:-1]:
            self.recording.links.append(RecordedLink(words, words[words.index("-o") + 1]))
        else:
            raise _unexpected(f"a command that is neither a compile nor a link: {' '.join(words)}")


def _parse_compile(words: tuple[str, ...], unit: _Unit) -> RecordedCompile:
    """Takes apart `head preprocessor... source -o output tail...`, and insists on that shape."""
    at = words.index(unit.spelled) if unit.spelled in words else -1
    start = at - len(unit.preprocessor)
    if at < 0 or start < 0 or words[start:at] != unit.preprocessor or words[at + 1 : at + 3] != ("-o", unit.output):
        raise _unexpected(f"the command {' '.join(words)}")
    torch_standard, flags = split_standard(words[at + 3 :])
    return RecordedCompile(
        source=unit.source,
        output=unit.output,
        language=unit.language,
        head=words[:start],
        preprocessor=unit.preprocessor,
        flags=flags,
        asked_standard=unit.asked_standard,
        torch_standard=torch_standard,
    )


def _unexpected(found: str) -> UnexpectedToolError:
    return UnexpectedToolError(
        "torch or setuptools runs the compiler in a way this release of musa_build does not know",
        found=found,
        wanted="compiler flags source -o object flags",
        hint="please report this with the versions of torch and setuptools",
    )


@contextmanager
def _replaced(target: Any, **attributes: Any) -> Iterator[None]:
    """Sets instance attributes for the length of the block, then restores exactly what was there."""
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
