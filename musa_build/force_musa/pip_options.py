"""What pip is told where it runs with FORCE_MUSA=1.

Standard library only, as startup.py, which imports this into pip's own process.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

_COMMANDS = ("install", "wheel", "download")
_NAME = re.compile(r"([A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?)\s*(?:\[[^\]]*\])?\s*(?:[<>=!~;@].*)?", re.DOTALL)
_OWN_CHOICE = ("--no-binary", "--only-binary", "--prefer-binary")
_OWN_CHOICE_VARIABLES = ("PIP_NO_BINARY", "PIP_ONLY_BINARY", "PIP_PREFER_BINARY")


def pip_options(arguments: Sequence[str], environment: Mapping[str, str]) -> dict[str, str]:
    """Return pip's options, as environment variables, for its command line; what the user chose stays.

    pip keeps the wheels it built by name and version alone: one for CUDA or the CPU would be taken for MUSA's. The
    index's wheels are for CUDA or the CPU as well, so what is named is built from its source. Without build isolation
    only: with it nothing is built for MUSA, and names may be of tools. Dependencies come as pip finds them.
    """
    options = {"PIP_NO_CACHE_DIR": "1"}
    names = projects(arguments) if _is_without_isolation(arguments, environment) else ()
    if names and not _has_own_choice(arguments, environment):
        options["PIP_NO_BINARY"] = ",".join(names)
    return {name: value for name, value in options.items() if name not in environment}


def projects(arguments: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the projects on a command line of `pip install`, `wheel` or `download`.

    The value of an option may be among them: there is no project of that name, and nothing changes for it.
    """
    if not any(word in _COMMANDS for word in arguments):
        return ()
    at = next(at for at, word in enumerate(arguments) if word in _COMMANDS)
    found = (_NAME.fullmatch(word) for word in arguments[at + 1 :] if not word.startswith("-"))
    return tuple(dict.fromkeys(match[1] for match in found if match))


def _is_without_isolation(arguments: Sequence[str], environment: Mapping[str, str]) -> bool:
    return "--no-build-isolation" in arguments or "PIP_NO_BUILD_ISOLATION" in environment


def _has_own_choice(arguments: Sequence[str], environment: Mapping[str, str]) -> bool:
    spelled = any(word.partition("=")[0] in _OWN_CHOICE for word in arguments)
    return spelled or any(name in environment for name in _OWN_CHOICE_VARIABLES)
