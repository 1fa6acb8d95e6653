"""The pictures of docs/how-it-works.md are what docs/images/draw.py draws; boxes hold their texts."""

from __future__ import annotations

import itertools
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from script_modules import module_of

IMAGES = Path(__file__).resolve().parent.parent / "docs" / "images"


DRAW = module_of(IMAGES / "draw.py", "draw_pictures")


@pytest.mark.parametrize("name", DRAW.PICTURES)
def test_a_picture_is_up_to_date_and_whole(name: str) -> None:
    picture = DRAW.PICTURES[name]
    text = (IMAGES / f"{name}.svg").read_text(encoding="utf-8")
    assert text == DRAW.svg(picture), "run: python docs/images/draw.py"
    assert ET.fromstring(text).get("aria-label") == picture.about
    for one, other in itertools.combinations(picture.boxes, 2):
        assert abs(one.column - other.column) >= 1 or abs(one.row - other.row) >= 1, f"{one.name} covers {other.name}"
    assert f"(images/{name}.svg)" in (IMAGES.parent / "how-it-works.md").read_text(encoding="utf-8")
