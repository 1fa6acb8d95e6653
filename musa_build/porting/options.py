"""What somebody asks to be ported, checked: a bad request is refused here, before anything is read or written."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple, Optional, Union, cast

from ..errors import PortingError
from .engine.edits import Finding, Severity
from .engine.guards import DEFAULT_EMULATED_CUDA, version_values
from .engine.hazards import DEFAULT_TARGET, TARGETS, Target
from .engine.rules import RuleSet
from .engine.scanner import Kind
from .engine.translate import Translator
from .tree.manifest import Stamp
from .tree.session import Session
from .tree.source_tree import SourceTree, read_tree

StrPath = Union[str, "os.PathLike[str]"]


class PortRequest(NamedTuple):
    """Port what is below `source` into `output`; both are absolute. `request()` makes one.

    `ignored` are absolute paths, `patterns` a shell's; `prose` are the spans that are ported like code; `emulated` is
    the CUDA version that the code is told, None to leave version macros alone; `remarks` came up while asking;
    `rule_stamps` are those of the files and folders that `rules` were read from, from before that.
    """

    source: Path
    output: Path
    rules: RuleSet
    ignored: tuple[Path, ...] = ()
    patterns: tuple[str, ...] = ()
    prose: frozenset[Kind] = frozenset()
    emulated: Optional[str] = DEFAULT_EMULATED_CUDA
    target: Target = TARGETS[DEFAULT_TARGET]
    remarks: tuple[Finding, ...] = ()
    rule_stamps: Mapping[str, Stamp] = MappingProxyType({})

    def read_tree(self) -> SourceTree:
        """The source tree.

        Raises:
            PortingError: it cannot be ported, or holds no file.
        """
        tree = read_tree(str(self.source), map(str, self.ignored), self.patterns)
        if not tree.files:
            raise PortingError("there is nothing to port", found=f"no file below {self.source}")
        return tree

    def session(self) -> Session:
        """The porting of this request's tree."""
        versions = version_values(self.emulated) if self.emulated is not None else {}
        return Session(self.read_tree(), Translator(self.rules, self.prose, versions), self.target)


def request(
    source: StrPath,
    rules: RuleSet,
    *,
    output: Optional[StrPath] = None,
    ignored: Union[Iterable[StrPath], None] = None,
    patterns: Iterable[str] = (),
    prose: Iterable[Kind] = (),
    emulated: Optional[str] = DEFAULT_EMULATED_CUDA,
    target: str = DEFAULT_TARGET,
    rule_stamps: Mapping[str, Stamp] = MappingProxyType({}),
) -> PortRequest:
    """Check what was asked for. `output` is by default `<source>_musa`, beside the source.

    Raises:
        PortingError: a folder that cannot be used, an output inside the source or around it, an unknown architecture.
    """
    folder = source_folder(source)
    place = folder.with_name(folder.name + "_musa") if output is None else absolute(output)
    if place.exists() and not place.is_dir():
        raise PortingError("the output is not a folder", found=str(place), wanted="a folder, or a name that is free")
    here, there = Path(os.path.realpath(folder)), Path(os.path.realpath(place))
    if here == there or here in there.parents or there in here.parents:
        raise PortingError(
            "source and output must lie beside each other",
            found=f"{folder} and {place}",
            wanted="an output that is neither inside the source nor around it",
        )
    if target not in TARGETS:
        raise PortingError("this architecture is not known", found=target, wanted=", ".join(TARGETS))
    paths, remarks = ignored_paths(folder, ignored)
    return PortRequest(
        source=folder,
        output=place,
        rules=rules,
        ignored=paths,
        patterns=tuple(patterns),
        prose=frozenset(prose),
        emulated=emulated,
        target=TARGETS[target],
        remarks=remarks,
        rule_stamps=rule_stamps,
    )


def source_folder(path: StrPath) -> Path:
    """The absolute path of the folder of CUDA sources.

    Raises:
        PortingError: it is not a folder, or has no name.
    """
    folder = absolute(path)
    if not os.fspath(path) or not folder.is_dir():
        raise PortingError(
            "the folder of CUDA sources cannot be used",
            found=f"{os.fspath(path)!r} {'is not a folder' if folder.exists() else 'does not exist'}",
            wanted="an existing folder",
            hint="a relative path counts from the working directory",
        )
    if not folder.name:
        raise PortingError("the root of the file system cannot be ported", wanted="a folder with a name")
    return folder


def absolute(path: StrPath) -> Path:
    """`path` without . and .. but with its links: the output belongs beside the name that the user gave."""
    return Path(os.path.abspath(path))  # noqa: PTH100  # Path.resolve() would follow the links


def ignored_paths(
    source: Path, paths: Union[Iterable[StrPath], None]
) -> tuple[tuple[Path, ...], tuple[Finding, ...]]:
    """The absolute form of `paths`, and a finding for each that is nowhere below `source`.

    A path may count from the working directory, from `source`, or from the folder that holds it.
    """
    if isinstance(paths, (str, os.PathLike)):
        paths = [cast(StrPath, paths)]
    ignored: list[Path] = []
    findings: list[Finding] = []
    for path in paths or ():
        places = [absolute(base / path) for base in (Path.cwd(), source, source.parent)]
        found = next((place for place in places if place.exists() and source in place.parents), None)
        if found is None:
            message = "this path to ignore is not in the tree"
            findings.append(Finding("ignored-nothing", Severity.WARNING, os.fspath(path), 0, message))
        else:
            ignored.append(found)
    return tuple(ignored), tuple(findings)
