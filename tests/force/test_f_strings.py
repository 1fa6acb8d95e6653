"""Expressions in f-strings are rewritten as other code is, with every version of Python that the tests run with."""

from __future__ import annotations

import ast
import random

import pytest

from musa_build.force_musa.f_strings import expressions
from musa_build.force_musa.python_rewrite import for_musa

CASES = {
    'f"a{x}b"': ["x"],
    "F'{x!r}{y:>{width}.{digits}f}'": ["x", "y", "width", "digits"],
    'rf"\\{x}{{no}}{y}"': ["x", "y"],
    'f"\\N{DASH}{x}\\{{}}"': ["x"],
    'f"\\{x}\\\\{y}"': ["x", "y"],
    'f"{x=}{y = }{z=!r}{a==b}{a!=b}{a<=b:5}"': ["x", "y ", "z", "a==b", "a!=b", "a<=b"],
    "f\"{d['a:b']}{f(x, y=1)}{(lambda q: q)(1)}{ {'k': v}['k'] }\"": [
        *("d['a:b']", "f(x, y=1)", "(lambda q: q)(1)", " {'k': v}['k'] "),
    ],
    "f'''{\nx +\ny:%Y-%m}{f\"{z}\"}'''": ["\nx +\ny", 'f"{z}"'],
    "f\"{f'{x:{y}}' + '}'}{z}\"": ["f'{x:{y}}' + '}'", "z"],
    "f'{a if\"{\"in b else c}.is_cuda{x}'": ['a if"{"in b else c', "x"],
    '"{x}"': [],
    'rb"{x}"': [],
    'f""': [],
}


@pytest.mark.parametrize("literal", CASES)
def test_expressions(literal: str) -> None:
    assert [literal[start:end] for start, end in expressions(literal)] == CASES[literal]


def made(chance: random.Random, depth: int) -> tuple[str, list[str]]:
    """Return the inside of an f-string in double quotes, and its expressions."""
    text, found = "", []
    for _ in range(chance.randrange(4)):
        text += chance.choice(("word ", "{{", "}}", "\\n", "\\'", ": ! =", "é", ""))
        code = chance.choice(
            ("x", " x", "x[1:2]", "x['}{:!=']", "(a != b)", "f(x, y=[1])", "x if x else y", "{1: 2}[1]")
        )
        code = f" {code}" if code.startswith("{") else code
        spec = chance.choice(("", "!r", "=", ":>5", ":", "!s:<{w}" if depth else "!a"))
        text, found = f"{text}{{{code}{spec}}}", [*found, code, *(["w"] if "{w}" in spec else [])]
    return text, found


@pytest.mark.parametrize("seed", range(200))
def test_made_strings(seed: int) -> None:
    inside, wanted = made(random.Random(seed), 1)
    literal = f'f"{inside}"'
    compile(literal, "made", "eval")
    assert [literal[start:end] for start, end in expressions(literal)] == wanted


def test_modules() -> None:
    before = """
a = f'cu{torch.version.cuda.replace(".", "")}'
d = f"{torch.cuda.is_available()} {torch.device('cuda')!r:>{x.cuda()}}"
b = f'''{
    x.is_cuda}
  {x.to("cuda:1")} cuda {f"{x.cuda(0)}"}'''
c = "{torch.cuda}", rf"\\d{torch.cuda.current_device()}", f"{'rocm' if hip else 'cuda'}"
"""
    after = """
a = f'cu{(torch.version.cuda or str(12.4)).replace(".", "")}'
d = f"{torch.musa.is_available()} {torch.device('musa')!r:>{x.musa()}}"
b = f'''{
    x.is_musa}
  {x.to("musa:1")} cuda {f"{x.musa(0)}"}'''
c = "{torch.cuda}", rf"\\d{torch.musa.current_device()}", f"{'rocm' if hip else 'cuda'}"
"""
    assert for_musa(before) == after
    assert for_musa(after) == after
    ast.parse(after)


@pytest.mark.parametrize(
    "text",
    [
        "v = self.torch.version.cuda\n",
        "torch.version.cuda: str = 'a'\n",
        "torch.version.cuda += '1'\n",
        "del torch.version.cuda\n",
        "torch.version.cuda, a = 1, 2\n",
        "for torch.version.cuda in x: pass\n",
    ],
)
def test_names_where_no_expression_can_be(text: str) -> None:
    assert for_musa(text + "x.cuda()\n") == text + "x.musa()\n"


def test_members_of_other_objects() -> None:
    assert for_musa("self.torch.cuda.get_arch_list()\n") == "self.torch.musa.get_arch_list()\n"
    text = "self.torch.cuda.get_device_capability()\n"
    assert for_musa(text) == text.replace("cuda", "musa")


def test_members_of_the_module_s_own_classes() -> None:
    own = "class S:\n    def cuda_stream(self): pass\nprint(f'{s.cuda_stream}', s.cuda_stream)\n"
    assert for_musa(own) == own
    assert for_musa("print(f'{s.cuda_stream}', s.cuda_stream)\n") == "print(f'{s.musa_stream}', s.musa_stream)\n"


def test_scripts_have_no_quotes_in_f_strings() -> None:
    text = '@torch.jit.script\ndef f(x):\n    return f"{x.is_cuda}"\n'
    assert for_musa(text) == text


def test_what_the_tokenizer_cannot_read_stays() -> None:
    """Python 3.12's raises a SystemError here."""
    text = "x.cuda(); v = f\"\"\"{ f'''\n'''= }{a}\"\"\"\n"
    ast.parse(text)
    assert for_musa(text) in (text, text.replace("cuda", "musa"))
