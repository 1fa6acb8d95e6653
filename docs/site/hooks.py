"""MkDocs calls these functions while it builds the site."""

from __future__ import annotations

import os
import re
from typing import Any

from musa_build import __version__


def anchor(heading: str, separator: str = "-") -> str:
    """Return the anchor of a heading as code hosts make it. MkDocs' own drops Chinese."""
    return re.sub(r"[^\w -]", "", heading.lower()).strip().replace(" ", separator)


def on_config(config: Any) -> Any:
    """Let the headings of the site have the anchors that links to a checkout's pages use."""
    config["mdx_configs"]["toc"]["slugify"] = anchor
    config["copyright"] = f"musa_build {__version__}"
    config["repo_url"] = os.environ.get("ADDRESS", "")  # as in `make release`: the public repository
    return config
