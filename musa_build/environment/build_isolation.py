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
    """Return whether pip, uv or build started this Python in an environment that holds only the build requirements."""
    import re

    return any(re.search(_ENVIRONMENTS, path) for path in (sys.prefix, *sys.path)) or _is_of_build(sys.prefix)


def _is_of_build(prefix: str) -> bool:
    """Return whether `python -m build` created the virtual environment `prefix`.

    The name of its folder alone is not enough: the folder must be in the temporary directory too.
    """
    import re
    import tempfile

    folder, name = os.path.split(os.path.realpath(prefix))
    return folder == os.path.realpath(tempfile.gettempdir()) and re.fullmatch(r"build-env-\w{8}", name) is not None
