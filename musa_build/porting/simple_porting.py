"""SimplePorting, the Python API of porting, with the arguments of torch_musa's class."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Optional, Union, cast

from ..errors import PortingError
from ..logger_util import LOGGER
from .api import StrPath, port, validate_options
from .engine.edits import Severity
from .engine.rules import rule_set
from .tree.session import PortReport


class SimplePorting:
    """Port the CUDA sources below `cuda_dir_path` into `<cuda_dir_path>_musa`, beside it.

    .cu becomes .mu and .cuh becomes .muh, includes of such files follow, and CUDA's names become MUSA's. Comments and
    strings are not changed. The sources are only read. A second run rewrites only files that changed.

    Args:
        cuda_dir_path: The folder to port; relative, absolute, with or without a trailing slash.
        ignore_dir_paths: Folders (or files) to leave out, relative to the working directory, to `cuda_dir_path`, or
            to the folder that holds it.
        mapping_rule: Text to replace -> replacement. Such a rule wins over every other one.
        drop_default_mapping: Use only the rules given here, not the ones that come with musa_build.
        mapping_dir_path: A folder of JSON files, each an object of text -> text, used beside the default rules. They
            win over the default rules, and `mapping_rule` wins over them.
        keep_names: Do not rename .cu to .mu and .cuh to .muh.

    torch_musa's README also calls it as (cuda_dir_path, mapping_rule, drop_default_mapping, mapping_dir_path): a
    mapping as the second argument is taken for `mapping_rule`, and the arguments after it move up.
    """

    def __init__(
        self,
        cuda_dir_path: StrPath,
        ignore_dir_paths: Union[Iterable[StrPath], Mapping[str, str], None] = None,
        mapping_rule: Union[Mapping[str, str], bool, None] = None,
        drop_default_mapping: Union[bool, StrPath, None] = False,
        mapping_dir_path: Optional[StrPath] = None,
        *,
        keep_names: bool = False,
    ) -> None:
        if isinstance(ignore_dir_paths, Mapping) or isinstance(mapping_rule, bool):
            if isinstance(mapping_rule, Mapping):
                raise PortingError("mapping_rule was given twice", wanted="one mapping, as the keyword mapping_rule")
            # The README's order: everything after the folder is one position to the left.
            if isinstance(mapping_rule, bool):
                if not isinstance(drop_default_mapping, bool):
                    mapping_dir_path, drop_default_mapping = drop_default_mapping, False
                drop_default_mapping = mapping_rule or drop_default_mapping
            ignore_dir_paths, mapping_rule = None, cast(Optional[Mapping[str, str]], ignore_dir_paths)
        if not isinstance(drop_default_mapping, bool):
            raise PortingError("drop_default_mapping must be True or False", found=repr(drop_default_mapping))
        folder = None if mapping_dir_path is None else Path(mapping_dir_path)
        rules = rule_set(mapping_rule, folder, not drop_default_mapping)
        self._options = validate_options(cuda_dir_path, rules, ignored=ignore_dir_paths, keep_names=keep_names)

    def run(self) -> PortReport:
        """Port the tree, return the report, and log its summary and warnings.

        Raises:
            PortingError: The tree cannot be ported with these arguments. Nothing has been written.
        """
        report = port(self._options).report
        log_report(report)
        return report


def log_report(report: PortReport) -> None:
    """Log a report: the summary as info, unused rules and warnings as warnings, notes for debugging."""
    LOGGER.info("%s", report.summary)
    for rule in report.unused_rules:
        LOGGER.warning("the rule %r never matched", rule)
    for finding in report.findings:
        LOGGER.log(logging.WARNING if finding.severity is Severity.WARNING else logging.DEBUG, "%s", finding)
