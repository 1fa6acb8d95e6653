"""Functions that are given to torch.load as map_location: what is compared with their parameters is a device."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from converting import converted, notes

from musa_tools.convert.edits import UNCLEAR, UNSUPPORTED

USES = {
    "keyword": "torch.load(f, map_location={})",
    "positional": "torch.load(f, {})",
    "of a script": "torch.jit.load(f, {})",
    "of a package": "torch.serialization.register_package(9, tag, {})",
    "of a package by name": "torch.serialization.register_package(9, tag, deserializer={})",
    "of a choice": "torch.load(f, map_location={} if old else None)",
    "of a partial": "load = functools.partial(torch.load, map_location={})",
    "a variable": "map_location = {}",
    "an option": "options = {{'map_location': {}}}",
    "a default": "def get(p, map_location={}): return torch.load(p, map_location)",
}
TESTS = [
    "{}.startswith('cuda')",
    "'cuda' in {}",
    "{} == 'cuda:0'",
    "{} in ('cuda', 'cuda:0')",
    "'cuda' == {}.lower()",
    "{}.split(':')[0] == 'cuda'",
    "{}[:4] == 'cuda'",
    "any({}.startswith(p) for p in ('cuda', 'xpu'))",
    "{{'cuda': 1, 'cpu': 0}}[{}]",
    "{{'cuda': 1}}.get({})",
    "torch.device({}).type == 'cuda'",
]


@pytest.mark.parametrize("use", USES.values(), ids=USES)
@pytest.mark.parametrize("test", TESTS)
def test_lambdas(use: str, test: str) -> None:
    given = f"lambda s, l: s.cuda(0) if {test.format('l')} else s"
    code = f"import torch, functools\n{use.format(given)}\n"
    assert converted(code) == code.replace("cuda", "musa")


FUNCTIONS = [
    ("def remap(a, where):\n    if {}:\n        return a.cuda(0)\n", "remap"),
    ("async def remap(a, where):\n    return a.cuda(0) if {} else a\n", "remap"),
    ("def remap(n, a, where):\n    if {}:\n        return a.cuda(n)\n", "functools.partial(remap, 0)"),
    (
        "def remap(a, where):\n    w = where.lower()\n    if {}:\n        return a.cuda(0)\n".replace("{}", "{w}"),
        "remap",
    ),
    (
        "def remap(a, where):\n    w, n = where.split(':')\n    if w == 'cuda':\n        return a.cuda(int(n))\n",
        "remap",
    ),
    ("def is_gpu(where):\n    return {}\ndef remap(a, b):\n    return a.cuda() if is_gpu(b) else a\n", "remap"),
    ("remap = lambda a, where: a.cuda(0) if {} else a\n", "remap"),
    ("def remap(a, where):\n    if {}:\n        return a.cuda(0)\nchosen = remap if new else None\n", "chosen"),
    ("class Remap:\n    def __call__(self, a, where):\n        return a.cuda(0) if {} else a\n", "Remap()"),
    ("class Remap:\n    def __call__(self, a, where):\n        return a.cuda(0) if {} else a\nr = Remap()\n", "r"),
    ("class T:\n    def _m(self, a, where):\n        return a.cuda(0) if {} else a\n", "self._m"),
    ("class T:\n    @staticmethod\n    def m(a, where):\n        return a.cuda(0) if {} else a\n", "T.m"),
    ("def make(n):\n    def remap(a, where):\n        return a.cuda(n) if {} else a\n    return remap\n", "make(0)"),
    ("def make(n):\n    return lambda a, where: a.cuda(n) if {} else a\n", "make(0)"),
    ("def elsewhere(storage, where):\n    return storage.cuda(0) if {} else storage\n", "None"),
]


@pytest.mark.parametrize(("definition", "name"), FUNCTIONS)
@pytest.mark.parametrize("test", ["{}.startswith('cuda')", "{} == 'cuda:0'", "{} in ['cuda']"])
def test_functions(definition: str, name: str, test: str) -> None:
    body = definition.format(test.format("where"), w=test.format("w"))
    code = f"import torch, functools\n{body}torch.load(f, map_location={name})\n"
    assert converted(code) == code.replace("cuda", "musa")


def test_what_it_runs_into() -> None:
    """The converted function is called as torch.load calls it."""
    seen: dict[str, Any] = {}
    torch = SimpleNamespace(load=lambda f, map_location: seen.update(f=map_location))
    storage = SimpleNamespace(musa=lambda n: ("musa", n))
    code = (
        "import torch\ndef f(a, w):\n    k, _, n = w.partition(':')\n    return a.cuda(int(n)) if k == 'cuda' else a\n"
    )
    exec(converted(code + "torch.load('x', f)\n").removeprefix("import torch\n"), {"torch": torch})
    assert seen["f"](storage, "musa:3") == ("musa", 3) and seen["f"](storage, "cpu") is storage


@pytest.mark.parametrize("test", ["re.match(r'cuda:(\\d+)', where)", "k('cuda')", "'cuda|xpu' in where"])
def test_what_is_not_understood_is_a_warning(test: str) -> None:
    code = f"import torch, re\ndef f(a, where):\n    return a if {test} else None\ntorch.load(p, f)\n"
    assert converted(code) == code
    assert len(notes(code, UNSUPPORTED)) == 1


@pytest.mark.parametrize(
    "code",
    [
        "def remap(a, kind):\n    return kind == 'cuda'\n",
        "def remap(a, kind):\n    return kind == 'cuda'\ntorch.load(p, map_location=other)\n",
        "torch.load(p, map_location=make(lambda kind: kind == 'cuda'))\n",
    ],
)
def test_other_functions_are_not_meant(code: str) -> None:
    code = "import torch\n" + code
    assert converted(code) == code
    assert len(notes(code, UNCLEAR)) == 1


def test_the_name_of_a_file_is_no_device() -> None:
    code = "import torch\nif device_file.endswith('_cuda.pt') or 'x/cuda/' in device_file: pass\n"
    assert converted(code) == code and not notes(code, UNSUPPORTED)


@pytest.mark.parametrize(
    "code",
    [
        "t = x.device.type\nif t == 'cuda': pass\n",
        "def f(x):\n    a = str(x.device)\n    b = a.lower()\n    return b.startswith('cuda')\n",
        "b = dist.get_backend()\nif b == 'nccl': pass\n",
        "a = b\nb = a\nif a == device == 'cuda': pass\n",
    ],
)
def test_the_value_of_a_variable_says_what_it_means(code: str) -> None:
    code = "import torch, torch.distributed as dist\n" + code
    assert converted(code) == code.replace("cuda", "musa").replace("nccl", "mccl")
