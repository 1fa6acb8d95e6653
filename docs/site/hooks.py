"""MkDocs calls these functions while it builds the site."""

from __future__ import annotations

import re
from typing import Any


def anchor(heading: str, separator: str = "-") -> str:
    """Return the anchor of a heading as code hosts make it. MkDocs' own drops Chinese."""
    return re.sub(r"[^\w -]", "", heading.lower()).strip().replace(" ", separator)


def on_config(config: Any) -> Any:
    """Let the headings of the site have the anchors that links to a checkout's pages use."""
    config["mdx_configs"]["toc"]["slugify"] = anchor
    return config
