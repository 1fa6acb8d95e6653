"""A comparison in a JSON file, for programs and for ``musa-tools report``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from musa_tools.compare_dumps.report.output_file import output_file
from musa_tools.errors import ToolError

FORMAT = "musa-tools comparison 1"


def write_json(path: Path, content: dict[str, Any]) -> None:
    """Write a comparison to a file.

    Args:
        path: The file.
        content: What ``as_content`` returns.
    """
    with output_file(path) as temporary:
        temporary.write_text(json.dumps(content), encoding="utf-8")


def read_json(path: Path) -> dict[str, Any]:
    """Return what ``write_json`` wrote."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ToolError(f"{path} cannot be read: {error.strerror or error}") from error
    except ValueError as error:
        raise ToolError(f"{path} is no JSON: {error}") from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ToolError(f"{path} is no comparison; wanted a compare_result_*.json of musa-tools compare")
    return content
