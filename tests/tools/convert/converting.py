"""Shortcuts of the converter's tests."""

from __future__ import annotations

from typing import Any

from musa_tools.convert.files import convert_content
from musa_tools.convert.results import Converted, Options


def result(code: str, launch: bool = False, **options: Any) -> Converted:
    return convert_content("x.py", code.encode(), Options(**options), launch)


def converted(code: str, launch: bool = False, **options: Any) -> str:
    """The converted code; converting it again changes nothing."""
    found = result(code, launch, **options)
    assert found.error is None, found.error
    if found.content is None:
        return code
    again = convert_content("x.py", found.content, Options(**options), launch)
    assert again.content is None and again.error is None, again
    return found.content.decode()


def unchanged(code: str, **options: Any) -> bool:
    found = result(code, **options)
    return found.error is None and found.content is None


def notes(code: str, level: str, **options: Any) -> list[str]:
    return [remark.message for remark in result(code, **options).remarks if remark.level == level]
