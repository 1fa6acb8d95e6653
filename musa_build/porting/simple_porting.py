"""SimplePorting: a folder of CUDA sources becomes, beside it, a folder of MUSA sources."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Optional, Union, cast

from musa_build.errors import PortingError
from musa_build.porting.edits import Finding, Severity
from musa_build.porting.hazards import findings as findings_of
from musa_build.porting.rules import Rule, RuleSet, rule_set, unused
from musa_build.porting.translate import ResolveInclude, translate
from musa_build.porting.tree import OutputFile, SourceFile, SourceTree, read_tree, write_tree

StrPath = Union[str, "os.PathLike[str]"]

_log = logging.getLogger("musa_build.porting")


@dataclass(frozen=True)
class PortReport:
    """What one run did.

    `files` counts the files of the ported tree, `edits` the replacements in them; `written` and `removed` are the
    paths (relative to `output`) that this run changed; `unused_rules` are the user's rules that never matched.
    """

    source: Path
    output: Path
    files: int
    edits: int
    written: tuple[str, ...]
    removed: tuple[str, ...]
    findings: tuple[Finding, ...]
    unused_rules: tuple[str, ...]

    @property
    def summary(self) -> str:
        """One line for a person."""
        warnings = sum(finding.severity is Severity.WARNING for finding in self.findings)
        return (
            f"ported {self.source} to {self.output}: {self.files} files, {self.edits} edits, "
            f"{len(self.written)} written, {len(self.removed)} removed, {warnings} warnings"
        )


class SimplePorting:
    """Port the CUDA sources below `cuda_dir_path` into `<cuda_dir_path>_musa`, beside it.

    .cu becomes .mu and .cuh becomes .muh, includes of such files follow, and CUDA's names become MUSA's. Comments and
    strings stay as they are. The sources are only read. A second run rewrites nothing that did not change.

    Args:
        cuda_dir_path: The folder to port; relative, absolute, with or without a trailing slash.
        ignore_dir_paths: Folders (or files) to leave out, relative to the working directory, to `cuda_dir_path`, or
            to the folder that holds it.
        mapping_rule: Text to replace -> replacement. Such a rule wins over every other one.
        drop_default_mapping: Use only the rules given here, not the ones that come with musa_build.
        mapping_dir_path: A folder of JSON files, each an object of text -> text, used beside the default rules. They
            win over the default rules, and `mapping_rule` wins over them.

    torch_musa's README also calls it as (cuda_dir_path, mapping_rule, drop_default_mapping, mapping_dir_path): a
    mapping in the second place is taken for `mapping_rule`, and what follows moves up.
    """

    def __init__(
        self,
        cuda_dir_path: StrPath,
        ignore_dir_paths: Union[Iterable[StrPath], Mapping[str, str], None] = None,
        mapping_rule: Union[Mapping[str, str], bool, None] = None,
        drop_default_mapping: Union[bool, StrPath, None] = False,
        mapping_dir_path: Optional[StrPath] = None,
    ) -> None:
        if isinstance(ignore_dir_paths, Mapping) or isinstance(mapping_rule, bool):
            if isinstance(mapping_rule, Mapping):
                raise PortingError("mapping_rule was given twice", wanted="one mapping, as the keyword mapping_rule")
            # The README's order: everything after the folder stands one place to the left.
            if isinstance(mapping_rule, bool):
                if not isinstance(drop_default_mapping, bool):
                    mapping_dir_path, drop_default_mapping = drop_default_mapping, False
                drop_default_mapping = mapping_rule or drop_default_mapping
            ignore_dir_paths, mapping_rule = None, cast(Optional[Mapping[str, str]], ignore_dir_paths)
        if not isinstance(drop_default_mapping, bool):
            raise PortingError(
                "drop_default_mapping must be True or False", found=f"drop_default_mapping={drop_default_mapping!r}"
            )
        self._source = _source_folder(cuda_dir_path)
        self._ignored, self._remarks = _ignored_paths(self._source, ignore_dir_paths)
        self._rules = rule_set(
            mapping_rule, None if mapping_dir_path is None else Path(mapping_dir_path), not drop_default_mapping
        )

    def run(self) -> PortReport:
        """Port the tree and return what was done; the summary and what needs a person also go to the log.

        Raises:
            PortingError: the tree cannot be ported as asked. Nothing has been written then.
        """
        tree = read_tree(self._source, self._ignored)
        if not tree.files:
            raise PortingError("there is nothing to port", found=f"no file below {self._source}")
        ported = [_port(file, tree, self._rules) for file in tree.files]
        output = self._source.with_name(self._source.name + "_musa")
        try:
            result = write_tree(output, [file.output for file in ported])
        except OSError as error:
            found = f"{error.filename}: {error.strerror}"
            raise PortingError("the ported tree cannot be written", found=found) from error
        used = {rule for file in ported for rule in file.used_rules}
        report = PortReport(
            source=self._source,
            output=output,
            files=len(ported),
            edits=sum(file.edits for file in ported),
            written=result.written,
            removed=result.removed,
            findings=(*self._remarks, *tree.findings, *(f for file in ported for f in file.findings), *result.findings),
            unused_rules=unused(self._rules.user_rules, used),
        )
        _log_report(report)
        return report


@dataclass(frozen=True)
class _PortedFile:
    output: OutputFile
    edits: int = 0
    findings: tuple[Finding, ...] = ()
    used_rules: frozenset[Rule] = frozenset()


def _port(file: SourceFile, tree: SourceTree, rules: RuleSet) -> _PortedFile:
    try:
        content = file.location.read_bytes()
        mode = file.location.stat().st_mode & 0o7777
    except OSError as error:
        raise PortingError("a source file cannot be read", found=f"{file.location}: {error.strerror}") from error
    if not file.is_ported:
        return _PortedFile(OutputFile(file.target, content, mode))
    resolve: ResolveInclude = lambda include: tree.resolve(file, include)  # noqa: E731
    translation = translate(content.decode("latin-1"), rules, resolve)
    return _PortedFile(
        OutputFile(file.target, translation.text.encode("latin-1"), mode),
        len(translation.edits),
        findings_of(translation, file.path, rules, resolve),
        translation.used_rules,
    )


def _source_folder(cuda_dir_path: StrPath) -> Path:
    source = _absolute(cuda_dir_path)
    if not os.fspath(cuda_dir_path) or not source.is_dir():
        raise PortingError(
            "the folder of CUDA sources cannot be used",
            found=f"{os.fspath(cuda_dir_path)!r} {'is not a folder' if source.exists() else 'does not exist'}",
            wanted="an existing folder",
            hint="a relative path counts from the working directory",
        )
    if not source.name:
        raise PortingError("the root of the file system cannot be ported", wanted="a folder with a name")
    return source


def _absolute(path: StrPath) -> Path:
    """`path` without . and .. but with its links: the output belongs beside the name that the user gave."""
    return Path(os.path.abspath(path))  # noqa: PTH100


def _ignored_paths(
    source: Path, paths: Union[Iterable[StrPath], None]
) -> tuple[frozenset[Path], tuple[Finding, ...]]:
    """The absolute form of `paths`, and a finding for each that is nowhere below `source`."""
    if isinstance(paths, (str, os.PathLike)):
        paths = [cast(StrPath, paths)]
    ignored: list[Path] = []
    findings: list[Finding] = []
    for path in paths or ():
        places = [_absolute(base / path) for base in (Path.cwd(), source, source.parent)]
        found = next((place for place in places if place.exists() and source in place.parents), None)
        if found is None:
            message = "this path to ignore is not in the tree"
            findings.append(Finding("ignored-nothing", Severity.WARNING, os.fspath(path), 0, message))
        else:
            ignored.append(found)
    return frozenset(ignored), tuple(findings)


def _log_report(report: PortReport) -> None:
    _log.info("%s", report.summary)
    for rule in report.unused_rules:
        _log.warning("the rule %r never matched", rule)
    for finding in report.findings:
        _log.log(logging.WARNING if finding.severity is Severity.WARNING else logging.DEBUG, "%s", finding)
