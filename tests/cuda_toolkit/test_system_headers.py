"""CUDA's headers bring the headers of the C and C++ libraries that NVIDIA's bring."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from system_headers import HEADERS, LANGUAGES, RECORD, brought

EXPECTED = json.loads(RECORD.read_text(encoding="utf-8"))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("header", HEADERS)
def test_the_library_headers_of_a_header(toolkit: Path, header: str, language: str) -> None:
    expected = set(EXPECTED[header][language])
    assert expected - brought(str(toolkit / "include"), header, language) == set()
