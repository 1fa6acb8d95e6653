"""Notebooks: byte-equal outside the edited words."""

from __future__ import annotations

import json

import pytest

from musa_tools.convert.files import convert_content
from musa_tools.convert.results import Converted, Options


def code(*source: str, **more: object) -> dict[str, object]:
    return {"cell_type": "code", **more, "source": source[0] if len(source) == 1 else list(source)}


OUTPUT = {"output_type": "stream", "name": "stdout", "text": ["cuda:0 \u00e9\n"]}
CELLS = [
    {"cell_type": "markdown", "metadata": {}, "source": ["Use `torch.cuda` and device='cuda'"]},
    code(
        "%matplotlib inline\n",
        "!nvidia-smi\n",
        "import torch\n",
        "dev = 'cuda' # \u00e9 \U0001f600 \"q\"\n",
        "x = !ls\n",
        id="cuda",
        metadata={"device": "cuda"},
        outputs=[OUTPUT],
    ),
    code("if 1:\n    !echo cuda\ntorch.cuda.synchronize()\ntorch.cuda?"),
    code("%%time\n", "x = '\U0001f600\\\\', torch.ones(2).cuda()\n"),
    code("%%bash\n", "CUDA_VISIBLE_DEVICES=0 python train.py # CUDA_VISIBLE_DEVICES"),
    code("%env CUDA_VISIBLE_DEVICES=1\n", "await x.to('cuda')"),
    code(),
]


def notebook(**arguments: object) -> bytes:
    content = {"nbformat": 4, "cells": CELLS, "metadata": {"k": "torch.cuda"}}
    return json.dumps(content, **arguments).encode()  # type: ignore[arg-type]


def convert(content: bytes, launch: bool = False, **options: bool) -> Converted:
    return convert_content("x.ipynb", content, Options(**options), launch)


def expected(content: bytes) -> bytes:
    for old, new in [
        (b"dev = 'cuda'", b"dev = 'musa'"),
        (b"torch.cuda.synch", b"torch.musa.synch"),
        (b"(2).cuda()", b"(2).musa()"),
        (b"x.to('cuda')", b"x.to('musa')"),
    ]:
        assert content.count(old) == 1, old
        content = content.replace(old, new)
    return content


def test_every_other_byte_stays() -> None:
    for content in (
        notebook(),
        notebook(indent=1, ensure_ascii=False),
        b"\xef\xbb\xbf" + notebook(indent=4),
        notebook(separators=(",", ":")).replace(b"\\n", b"\\u000a"),
        b" \r\n" + notebook(indent=2).replace(b"\n", b"\r\n") + b"\r\n",
    ):
        found = convert(content)
        assert found.error is None and found.content == expected(content)
        assert convert(found.content).content is None


def test_commands_only_if_asked_for() -> None:
    content = notebook()
    found = convert(content, shell=True)
    shell = expected(content).replace(b"CUDA_VISIBLE_DEVICES=", b"MUSA_VISIBLE_DEVICES=")
    assert found.content == shell


def test_a_notebook_is_one_module() -> None:
    cells = [
        {"cell_type": "code", "source": ["from numba import cuda\n"]},
        {"cell_type": "code", "source": ["cuda.synchronize()\n", "import torch.cuda as c"]},
        {"cell_type": "code", "source": ["c.CUDAGraph()"]},
    ]
    found = convert(json.dumps({"cells": cells}).encode())
    assert found.content is not None
    sources = ["".join(cell["source"]) for cell in json.loads(found.content)["cells"]]
    assert sources == ["from numba import cuda\n", "cuda.synchronize()\nimport torch_musa as c", "c.MUSAGraph()"]


def test_launch() -> None:
    cells = [
        {"cell_type": "code", "source": ["import os\n", "import torch"]},
        {"cell_type": "code", "source": ["x = 1\n"]},
    ]
    found = convert(json.dumps({"cells": cells}).encode(), launch=True)
    assert found.content is not None
    sources = ["".join(cell["source"]) for cell in json.loads(found.content)["cells"]]
    assert sources == ["import os\nimport torch\nimport torch_musa", "x = 1\n"]
    assert convert(found.content, launch=True).content is None


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b'{"cells": 3}',
        b'{"cells": [3]}',
        b'{"cells": [{"cell_type": "code", "source": ["a"]',
        b"\xff\xfe",
        b'{"x": "cuda"}',
        b'{"cells": ["cuda',
        b'{"x": ' + b"[" * 100_000,
    ],
)
def test_what_is_no_notebook(content: bytes) -> None:
    found = convert(content)
    assert found.content is None and found.error and found.error.startswith("not a notebook")


def test_a_cell_that_is_not_python() -> None:
    found = convert(b'{"cells": [{"cell_type": "code", "source": "print 1; torch.cuda.x"}]}')
    assert found.content is None and found.error == "code cell 1 is not Python"
