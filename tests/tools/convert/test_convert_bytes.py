"""Only the edited bytes of a file differ, whatever its encoding and line endings."""

from __future__ import annotations

import codecs
import sys
from types import FrameType
from typing import Any

import pytest

from musa_tools.convert.files import convert_content
from musa_tools.convert.results import Options

CODE = (
    "import torch\nname = 'Grüße'\nif 1:\n\tx = torch.ones(2, device='cuda')  # cuda, é\n\x0cdef f(): 'ß'; torch.cuda.f"
)
MUSA = CODE.replace("device='cuda'", "device='musa'")


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(
    ("head", "encoding", "bom"),
    [
        ("", "utf-8", b""),
        ("", "utf-8", codecs.BOM_UTF8),
        ("# -*- coding: latin-1 -*-\n", "latin-1", b""),
        ("#!/usr/bin/python\n# vim: set fileencoding=cp1252 :\n", "cp1252", b""),
        ("# coding: utf-8\n", "utf-8", codecs.BOM_UTF8),
    ],
)
def test_encodings_and_line_endings(newline: str, head: str, encoding: str, bom: bytes) -> None:
    def file(code: str) -> bytes:
        return bom + (head + code).replace("\n", newline).encode(encoding)

    found = convert_content("x.py", file(CODE), Options())
    assert found.error is None and found.content == file(MUSA)


def test_east_asian_encoding() -> None:
    code = "# coding: gbk\nx.to('cuda')  # 中文\nprint('中文 cuda'); torch.cuda.synchronize()\n"
    musa = code.replace("to('cuda", "to('musa").replace("torch.cuda", "torch.musa")
    assert convert_content("x.py", code.encode("gbk"), Options()).content == musa.encode("gbk")


def test_columns_after_letters_of_several_bytes() -> None:
    code = "import torch\nd = {'ключ': x.to('cuda'), '😀': f'😀{torch.cuda.device_count()}😀'}\n"
    musa = code.replace("to('cuda", "to('musa").replace("torch.cuda", "torch.musa")
    assert convert_content("x.py", code.encode(), Options()).content == musa.encode()


@pytest.mark.parametrize(
    ("content", "word"),
    [
        (b"import torch\nprint 'x'\ntorch.cuda.synchronize()\n", "line 2"),
        (b"torch.cuda.x(\n", "line 1"),
        (b"x = '\xe9' # cuda\n", "utf-8"),
        (b"# coding: no-such\ncuda = 1\n", "encoding"),
        (b"cuda = '\x00'\n", "null"),
        (b"# coding: ascii\nx = '\xe9' # cuda\n", "ascii"),
        (b"\xff\xfei\x00m\x00 \x00cuda", "utf-8"),
    ],
)
def test_what_is_not_python_is_left_and_named(content: bytes, word: str) -> None:
    found = convert_content("x.py", content, Options())
    assert found.content is None and found.error is not None and word in found.error.lower()


def test_deep_nesting_is_an_error_and_no_crash() -> None:
    found = convert_content("x.py", b"cuda = " + b"(" * 3000 + b")" * 3000, Options())
    assert found.content is None and found.error
    found = convert_content("x.py", b"cuda(" + b"x.f(" * 90 + b")" * 91, Options())
    assert found.error is None
    found = convert_content("x.py", b"import torch\nx.to(" + b"+".join([b"y.cuda()"] * 700) + b")", Options())
    assert found.error is None and found.content is not None and found.content.count(b"musa") == 700


@pytest.mark.parametrize(
    "line",
    [
        b"x = torch.cuda.f(x.cuda('cuda'), y.is_cuda)\n",
        b"x = x.cuda\n",
        b"def f(): torch.cuda.init()\n",
        b"import torch.cuda\n",
        b"os.environ['CUDA_VISIBLE_DEVICES'] = f'{torch.cuda.device_count()}'\n",
    ],
)
def test_work_grows_with_the_size(line: bytes) -> None:
    """Counted in executed lines of Python: seconds would depend on what else the machine does."""

    def executed(lines: int) -> int:
        count = 0

        def trace(frame: FrameType, event: str, argument: object) -> Any:
            nonlocal count
            count += event == "line"
            return trace

        before = sys.gettrace()
        sys.settrace(trace)
        try:
            found = convert_content("x.py", b"import os, torch\n" + line * lines, Options())
        finally:
            sys.settrace(before)
        assert found.error is None
        return count

    executed(10)
    assert executed(1000) < 15 * executed(100)
