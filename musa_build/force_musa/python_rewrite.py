"""Rewrite Python modules that name CUDA's device so that they name MUSA's. Pure: text in, text out.

It changes only what would take a wrong branch, or name a device that does not exist:

    tensor.is_cuda           tensor.is_musa
    tensor.cuda()            tensor.musa()
    torch.cuda.stream        torch.musa.stream
    stream.cuda_stream       stream.musa_stream       (event.cuda_event too; not if classes of the module have it)
    "cuda", "cuda:0"         "musa", "musa:0"       (whole strings; no other text)
    lib.impl(f, g, "CUDA")   lib.impl(f, g, "PrivateUse1")
    torch._C._cuda_f         torch.musa._MUSAC._musa_f
    torch.version.cuda, torch.cuda.get_device_capability(...), torch.cuda.get_arch_list()     CUDA's numbers

"cuda" stays in `"rocm" if x else "cuda"`, where it names a platform. Expressions in f-strings are code too: Python's
tokenizer takes f-strings apart from Python 3.12 on, and f_strings.py does it for all versions.

TorchScript knows the members of a tensor that PyTorch itself has, and torch_musa's are none of them. So in classes and
functions under `@torch.jit.script`, `tensor.is_cuda` asks for the name of the device, and `.cuda()` stays: it may be a
method of the package. A tensor's then raises an error when it is called.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator, Sequence

from . import f_strings, python_edits
from .python_edits import Edit, Module

_DEVICE = re.compile(r"""(?P<open>[bBuUrR]{0,2}(?P<quote>["']))cuda(?P<rest>(?::\d+)?(?P=quote))""")
_SCRIPT = ["@", "torch", ".", "jit", ".", "script"]
_IN_SCRIPT = 'device.type.startswith("musa")'
_IS_EXPRESSION = re.compile(r"[(\[ ]")
#: errors of the tokenizer; CPython's own defects raise the last two
_NOT_PYTHON = (tokenize.TokenError, SyntaxError, SystemError, ValueError)
_IGNORED = (tokenize.NL, tokenize.COMMENT)
#: of f-strings and t-strings, in the versions of Python whose tokenizer takes these apart
_STARTS, _ENDS = (
    {getattr(tokenize, f"{kind}STRING_{side}") for kind in "FT" if hasattr(tokenize, f"{kind}STRING_{side}")}
    for side in ("START", "END")
)


def module_for_musa(content: bytes) -> bytes:
    """Return the content of a module's file for MUSA; unchanged if it is not Python: a template, or Python 2."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
        text = content.decode(encoding)
    except (SyntaxError, UnicodeDecodeError):
        return content
    return for_musa(text).encode(encoding)


def for_musa(text: str) -> str:
    """Return the text of a module for MUSA; unchanged if it does not name CUDA, or is not Python."""
    if "cuda" not in text and "CUDA" not in text:
        return text
    try:
        edits = sorted(_edits(text, python_edits.own_handles(_tokens(text))), reverse=True)
    except _NOT_PYTHON:
        return text
    changed = _with_edits(text, edits)
    if _is_python(changed) or not _is_python(text):
        return changed
    # An expression was written where only a name can be: as the target of an assignment, for instance.
    return _with_edits(text, [edit for edit in edits if not _IS_EXPRESSION.search(edit.text)])


def _with_edits(text: str, edits: Sequence[Edit]) -> str:
    lines = io.StringIO(text).readlines()  # as the tokenizer reads; splitlines() splits at form feeds too
    for edit in edits:
        # No token that is edited spans lines.
        line = lines[edit.start[0] - 1]
        lines[edit.start[0] - 1] = line[: edit.start[1]] + edit.text + line[edit.end[1] :]
    return "".join(lines)


def _is_python(text: str) -> bool:
    try:
        ast.parse(text)
    except (SyntaxError, ValueError):
        return False
    return True


def _edits(
    text: str, own_handles: frozenset[str], in_script: bool = False, in_f_string: bool = False
) -> Iterator[Edit]:
    """Yield the edits of a module, or of an expression in an f-string."""
    tokens = _tokens(text)
    module = Module(tokens, [token.string for token in tokens], own_handles, in_f_string)
    scripts = _torch_scripts(tokens, module.strings)
    for at, token in enumerate(tokens):
        if token.type == tokenize.STRING:
            yield from _text(module, at)
            yield from _in_f_string(token, own_handles, in_script or _is_within(at, scripts))
        elif module.has_before(at, ["."]):
            yield from _member(module, at, in_script or _is_within(at, scripts))
        elif module.strings[at : at + 5] == ["from", "torch", ".", "_C", "import"]:
            yield from python_edits.import_of_private_functions(module, at)


def _tokens(text: str) -> list[tokenize.TokenInfo]:
    """Return the tokens that are no comments. An f-string is one token, as it is before Python 3.12."""
    lines = io.StringIO(text).readlines()
    found: list[tokenize.TokenInfo] = []
    opened: list[tokenize.TokenInfo] = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in _STARTS:
            opened.append(token)
        elif token.type in _ENDS:
            start = opened.pop().start
            if not opened:
                string = _between(lines, start, token.end)
                found.append(tokenize.TokenInfo(tokenize.STRING, string, start, token.end, token.line))
        elif not opened and token.type not in _IGNORED:
            found.append(token)
    return found


def _between(lines: Sequence[str], start: tuple[int, int], end: tuple[int, int]) -> str:
    if start[0] == end[0]:
        return lines[start[0] - 1][start[1] : end[1]]
    return "".join([lines[start[0] - 1][start[1] :], *lines[start[0] : end[0] - 1], lines[end[0] - 1][: end[1]]])


def _in_f_string(token: tokenize.TokenInfo, own_handles: frozenset[str], in_script: bool) -> Iterator[Edit]:
    """Yield the edits of the expressions in a string."""
    for start, end in f_strings.expressions(token.string):
        before = token.string[:start]
        row = token.start[0] + before.count("\n")
        column = len(before) - before.rfind("\n") - 1 + (0 if "\n" in before else token.start[1])
        try:
            edits = list(_edits(f"({token.string[start:end]})", own_handles, in_script, in_f_string=True))
        except _NOT_PYTHON:
            continue
        for edit in edits:
            yield Edit(_moved(edit.start, row, column), _moved(edit.end, row, column), edit.text)


def _moved(position: tuple[int, int], row: int, column: int) -> tuple[int, int]:
    """Return where a position of an expression in parentheses is in the module, by where the expression begins."""
    return (row, column + position[1] - 1) if position[0] == 1 else (row + position[0] - 1, position[1])


def _text(module: Module, at: int) -> Iterator[Edit]:
    """Yield the edit of the string at `at` if it is a device or a key of PyTorch's dispatcher."""
    device = _DEVICE.fullmatch(module.strings[at])
    if device is None:
        yield from python_edits.dispatch_key(module, at)
    elif not python_edits.is_alternative_to_rocm(module, at):
        yield module.edit(at, f"{device['open']}musa{device['rest']}")


def _member(module: Module, at: int, in_script: bool) -> Iterator[Edit]:
    """Yield the edits of the name at `at`, which a dot precedes."""
    name, is_called = module.strings[at], module.has_after(at, ["("])
    if name == "is_cuda":
        if not is_called and not (in_script and module.in_f_string):  # a tensor's is no method
            yield module.edit(at, _IN_SCRIPT if in_script else "is_musa")
    elif name in python_edits.HANDLES:
        yield from python_edits.handle(module, at)
    elif python_edits.is_private(name):
        yield from python_edits.private_function(module, at)
    elif name == "cuda" and module.has_before(at, ["torch", ".", "version", "."]):
        if not module.has_before(at - 4, ["."]):
            yield from python_edits.version(module, at)
    elif name == "cuda" and not (in_script and is_called):
        yield from _module_or_method(module, at)


def _torch_scripts(tokens: Sequence[tokenize.TokenInfo], strings: Sequence[str]) -> list[range]:
    """Return the tokens of each class and function that is compiled to TorchScript."""
    found = []
    for at in range(len(tokens) - len(_SCRIPT)):
        if strings[at : at + len(_SCRIPT)] != _SCRIPT:
            continue
        depth, end = 0, at
        for end in range(at, len(tokens)):
            depth += (tokens[end].type == tokenize.INDENT) - (tokens[end].type == tokenize.DEDENT)
            if tokens[end].type == tokenize.DEDENT and depth <= 0:
                break
        found.append(range(at, end + 1))
    return found


def _is_within(at: int, scripts: Sequence[range]) -> bool:
    return any(at in script for script in scripts)


def _module_or_method(module: Module, at: int) -> Iterator[Edit]:
    """Yield the edits of the `.cuda` at `at` if it is torch's, or a method that moves a tensor or module."""
    if module.has_before(at, ["torch", "."]):
        if module.strings[at - 3] not in ("import", "from"):  # these name modules, and torch_musa has its own
            is_member = module.has_before(at - 2, ["."])
            answer = [] if is_member else list(python_edits.architecture_answer(module, at))
            yield from answer or [module.edit(at, "musa")]
    elif module.has_after(at, ["("]):
        yield module.edit(at, "musa")
