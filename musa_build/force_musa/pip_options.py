"""Change and explain pip's options under FORCE_MUSA=1, in pip's own process.

pip's parser reads the command line: only it knows which options take a value, and what the configuration adds.
The start-up hook imports this into a pip that may lack our dependencies, so this uses pip's copy of `packaging`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

_COMMANDS = ("install", "wheel", "download")
#: Our distributions: their wheels are for MUSA, or have no compiled code.
OWN = frozenset({"musa-build", "musa-sim", "musa-tools", "torch-musa-sim"})


def projects_to_build(arguments: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the projects on pip's command line for which no option says whether pip may take a wheel.

    Wheels of the index are for CUDA or the CPU, so pip has to build these projects from source. Only without build
    isolation: with isolation nothing is built for MUSA, and the projects may be build tools. Dependencies and our own
    distributions are not affected.
    """
    from pip._internal.cli.main_parser import parse_command
    from pip._internal.commands import create_command
    from pip._internal.exceptions import PipError
    from pip._vendor.packaging.requirements import InvalidRequirement, Requirement
    from pip._vendor.packaging.utils import canonicalize_name

    try:
        command, rest = parse_command(list(arguments))
    except PipError:
        return ()  # pip reports it
    if command not in _COMMANDS:
        return ()
    options, given = create_command(command, isolated="--isolated" in rest).parse_args(rest)
    chosen = options.format_control.no_binary or options.format_control.only_binary or options.prefer_binary
    if options.build_isolation or chosen:
        return ()
    names = []
    for requirement in given:
        try:
            names += [] if Path(requirement).is_file() else [Requirement(requirement).name]
        except InvalidRequirement:  # a directory or a URL
            continue
    return tuple(dict.fromkeys(name for name in names if canonicalize_name(name) not in OWN))


def report_newer_wheels(finder: Any, log: Callable[[str], None]) -> None:
    """Have pip's class PackageFinder log if it takes an old source distribution because newer releases are wheels."""
    original = finder.find_best_candidate
    reported: set[str] = set()

    def find_best_candidate(self: Any, project_name: str, *args: Any, **kwargs: Any) -> Any:
        result = original(self, project_name, *args, **kwargs)
        best = result.best_candidate
        newer = max((each for each in _wheels(self, project_name) if not best or each > best.version), default=None)
        if newer is not None and project_name not in reported:
            reported.add(project_name)
            taken = f"{project_name} {best.version} is built from source" if best else f"{project_name} has no source"
            log(
                f"{taken}; the index has {newer} too, but only as wheels, which are not for MUSA; to build {newer}, "
                "install it from its repository"
            )
        return result

    finder.find_best_candidate = find_best_candidate


def _wheels(finder: Any, project_name: str) -> Iterator[Any]:
    """Yield the versions of a project whose wheels pip skipped because it must build from source."""
    from pip._vendor.packaging.utils import InvalidWheelFilename, canonicalize_name, parse_wheel_filename

    for link, _, reason in getattr(finder, "_logged_links", ()):
        if link.is_wheel and reason.startswith("No binaries permitted"):
            try:
                name, version, *_ = parse_wheel_filename(link.filename)
            except InvalidWheelFilename:
                continue
            if name == canonicalize_name(project_name) and not version.is_prerelease:
                yield version
