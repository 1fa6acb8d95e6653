"""Whether this Python builds a package in isolation, where neither the user's torch nor torch_musa can be seen.

Standard library only, and none of it at import time: the start-up hook of FORCE_MUSA=1 imports this module.
"""

from __future__ import annotations

import os
import sys

# How pip and uv name the environment of an isolated build. A name alone ("build-env-py311") says nothing: these are
# whole components of a path, with the random part and the neighbours that the tools give them.
_ENVIRONMENTS = r"/pip-build-env-\w{8}/(?:overlay|normal|site)(?:/|$)|/builds-v\d+/\.tmp\w{6}(?:/|$)"


def is_isolated_build() -> bool:
    """Return whether pip, uv or build started this Python in an environment that holds only the build requirements."""
    import re

    return any(re.search(_ENVIRONMENTS, path) for path in (sys.prefix, *sys.path)) or _is_of_build(sys.prefix)


def _is_of_build(prefix: str) -> bool:
    """Return whether `prefix` is a virtual environment that `python -m build` made: its folder has few marks, so the
    place counts too."""
    import re
    import tempfile

    folder, name = os.path.split(os.path.realpath(prefix))
    return folder == os.path.realpath(tempfile.gettempdir()) and re.fullmatch(r"build-env-\w{8}", name) is not None
