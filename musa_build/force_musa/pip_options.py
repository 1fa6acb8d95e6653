"""The options of pip when it runs with FORCE_MUSA=1.

Standard library only: import_hook.py imports this into pip's own process, which may lack our dependencies. So a regular
expression reads requirements here, and `packaging` does elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

_COMMANDS = ("install", "wheel", "download")
_NAME = re.compile(r"([A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?)\s*(?:\[[^\]]*\])?\s*(?:[<>=!~;@].*)?", re.DOTALL)
_OWN_CHOICE = ("--no-binary", "--only-binary", "--prefer-binary")
_OWN_CHOICE_VARIABLES = ("PIP_NO_BINARY", "PIP_ONLY_BINARY", "PIP_PREFER_BINARY")


def pip_options(arguments: Sequence[str], environment: Mapping[str, str]) -> dict[str, str]:
    """Return options for pip's command line, as environment variables; what the user chose stays.

    pip's cache knows wheels by name and version alone, and would take one for CUDA or the CPU for one for MUSA. Wheels
    of the index are for CUDA or the CPU too, so pip builds the projects on its command line from source. Only without
    build isolation: in isolation nothing is built for MUSA, and the names may be those of tools. Dependencies are not
    affected.
    """
    options = {"PIP_NO_CACHE_DIR": "1"}
    names = projects(arguments) if _is_without_isolation(arguments, environment) else ()
    if names and not _has_own_choice(arguments, environment):
        options["PIP_NO_BINARY"] = ",".join(names)
    return {name: value for name, value in options.items() if name not in environment}


def projects(arguments: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the projects on a command line of `pip install`, `wheel` or `download`.

    The value of an option may be among them. That changes nothing, because no project has that name.
    """
    if not any(argument in _COMMANDS for argument in arguments):
        return ()
    at = next(at for at, argument in enumerate(arguments) if argument in _COMMANDS)
    found = (_NAME.fullmatch(argument) for argument in arguments[at + 1 :] if not argument.startswith("-"))
    return tuple(dict.fromkeys(match[1] for match in found if match))


def _is_without_isolation(arguments: Sequence[str], environment: Mapping[str, str]) -> bool:
    return "--no-build-isolation" in arguments or "PIP_NO_BUILD_ISOLATION" in environment


def _has_own_choice(arguments: Sequence[str], environment: Mapping[str, str]) -> bool:
    on_command_line = any(argument.partition("=")[0] in _OWN_CHOICE for argument in arguments)
    return on_command_line or any(name in environment for name in _OWN_CHOICE_VARIABLES)
