"""The options of one porting, validated: bad options are refused here, before anything is read or written."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, Optional, Union, cast

from ..errors import PortingError
from .engine.edits import Finding, Severity
from .engine.guards import DEFAULT_EMULATED_CUDA
from .engine.hazards import DEFAULT_TARGET, TARGETS, Target

if TYPE_CHECKING:
    from .engine.rules import RuleSet
    from .tree.manifest import Stamp

StrPath = Union[str, "os.PathLike[str]"]


class PortOptions(NamedTuple):
    """Port the files below `source` into `output`; both are absolute. `validate_options()` makes one.

    Attributes:
        source: The folder of CUDA sources.
        output: The folder of MUSA sources.
        rules: The texts to replace, and their replacements.
        ignored: Absolute paths to leave out.
        patterns: A shell's patterns of paths to leave out.
        include_comments: Whether comments are ported like code.
        include_strings: Whether string literals are ported like code.
        keep_names: Whether .cu and .cuh files keep their names.
        emulated: The CUDA version that ported code sees; None leaves version macros alone.
        target: The architecture whose limits hazards are judged by.
        findings: The findings of validation.
        rule_stamps: The stamps of the files and folders that `rules` were read from, from before they were read.
    """

    source: Path
    output: Path
    rules: RuleSet
    ignored: tuple[Path, ...] = ()
    patterns: tuple[str, ...] = ()
    include_comments: bool = False
    include_strings: bool = False
    keep_names: bool = False
    emulated: Optional[str] = DEFAULT_EMULATED_CUDA
    target: Target = TARGETS[DEFAULT_TARGET]
    findings: tuple[Finding, ...] = ()
    rule_stamps: Mapping[str, Stamp] = MappingProxyType({})


def validate_options(
    source: StrPath,
    rules: RuleSet,
    *,
    output: Optional[StrPath] = None,
    ignored: Union[Iterable[StrPath], None] = None,
    patterns: Iterable[str] = (),
    include_comments: bool = False,
    include_strings: bool = False,
    keep_names: bool = False,
    emulated: Optional[str] = DEFAULT_EMULATED_CUDA,
    target: str = DEFAULT_TARGET,
    rule_stamps: Mapping[str, Stamp] = MappingProxyType({}),
) -> PortOptions:
    """Check the options of one porting. `output` is by default `<source>_musa`, beside the source.

    Raises:
        PortingError: A folder is unusable, the output is inside or around the source, or the architecture is unknown.
    """
    source = source_folder(source)
    output = source.with_name(source.name + "_musa") if output is None else absolute(output)
    if output.exists() and not output.is_dir():
        raise PortingError("the output is not a folder", found=str(output), wanted="a folder, or a name that is free")
    real_source, real_output = Path(os.path.realpath(source)), Path(os.path.realpath(output))
    if real_source == real_output or real_source in real_output.parents or real_output in real_source.parents:
        raise PortingError(
            "source and output must lie beside each other",
            found=f"{source} and {output}",
            wanted="an output that is neither inside the source nor around it",
        )
    if target not in TARGETS:
        raise PortingError("this architecture is not known", found=target, wanted=", ".join(TARGETS))
    paths, findings = ignored_paths(source, ignored)
    return PortOptions(
        source=source,
        output=output,
        rules=rules,
        ignored=paths,
        patterns=tuple(patterns),
        include_comments=include_comments,
        include_strings=include_strings,
        keep_names=keep_names,
        emulated=emulated,
        target=TARGETS[target],
        findings=findings,
        rule_stamps=rule_stamps,
    )


def source_folder(path: StrPath) -> Path:
    """Return the absolute path of the folder of CUDA sources.

    Raises:
        PortingError: It is not a folder, or has no name.
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
    """Return `path` without . and .. but with its links: the output belongs beside the name that the user gave."""
    return Path(os.path.abspath(path))  # noqa: PTH100  # Path.resolve() would follow the links


def ignored_paths(source: Path, paths: Union[Iterable[StrPath], None]) -> tuple[tuple[Path, ...], tuple[Finding, ...]]:
    """Return the absolute form of `paths`, and a finding for each that does not exist below `source`.

    A path may count from the working directory, from `source`, or from the folder that holds it.
    """
    if isinstance(paths, (str, os.PathLike)):
        paths = [cast(StrPath, paths)]
    ignored: list[Path] = []
    findings: list[Finding] = []
    for path in paths or ():
        candidates = [absolute(base / path) for base in (Path.cwd(), source, source.parent)]
        found = next(
            (candidate for candidate in candidates if candidate.exists() and source in candidate.parents), None
        )
        if found is None:
            message = "this path to ignore is not in the tree"
            findings.append(Finding("ignored-nothing", Severity.WARNING, os.fspath(path), 0, message))
        else:
            ignored.append(found)
    return tuple(ignored), tuple(findings)
