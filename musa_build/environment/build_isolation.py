"""Detect an isolated build, which sees neither the user's torch nor torch_musa.

The start-up hook of FORCE_MUSA=1 imports this module, so it imports very little, and most of that inside functions.
"""

from __future__ import annotations

import os
import sys

# The names that pip and uv give to the environment of an isolated build: whole components of a path with a random part.
# A name such as "build-env-py311" alone proves nothing.
_ENVIRONMENTS = r"/pip-build-env-\w{8}/(?:overlay|normal|site)(?:/|$)|/builds-v\d+/\.tmp\w{6}(?:/|$)"


def is_isolated_build() -> bool:
    """Return whether pip, uv, build or Poetry made the environment of this Python for one build."""
    import re

    named = any(re.search(_ENVIRONMENTS, path) for path in (sys.prefix, *sys.path))
    return named or _is_of_build(sys.prefix) or _is_of_poetry(sys.prefix)


def _is_of_build(prefix: str) -> bool:
    """Return whether `python -m build` created the virtual environment `prefix`.

    The name of its folder alone is not enough: the folder must be in the temporary directory too.
    """
    import re
    import tempfile

    folder, name = os.path.split(os.path.realpath(prefix))
    return folder == os.path.realpath(tempfile.gettempdir()) and re.fullmatch(r"build-env-\w{8}", name) is not None


def _is_of_poetry(prefix: str) -> bool:
    """Return whether Poetry created the virtual environment `prefix` for a build: .venv in a temporary folder.

    A user's own environment may lie in such a folder. One with torch is no environment that Poetry has just made.
    """
    import importlib.util
    import re
    import tempfile

    folder, name = os.path.split(os.path.realpath(prefix))
    above, temporary = os.path.split(folder)
    is_new = above == os.path.realpath(tempfile.gettempdir()) and re.fullmatch(r"tmp\w{8}", temporary) is not None
    return name == ".venv" and is_new and importlib.util.find_spec("torch") is None
