"""The meanings of the arguments of a call."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import Optional

from .edits import UNCLEAR, UNSUPPORTED, Findings
from .extension import EXTENSION_KEYWORDS, EXTENSION_MODULE, ExtensionUse
from .meanings import DEVICE, MAP, Meaning, meaning_of, meaning_of_key, meaning_of_name
from .scopes import Scope
from .source import Offsets
from .vocabulary import OTHER_VARIABLE, environment_variable, is_foreign

_DEVICE_METHODS = frozenset({"to", "cuda", "musa", "type", "to_empty"})
_TEXT_METHODS = frozenset(
    {"startswith", "endswith", "replace", "split", "rsplit", "find", "index", "count", "partition", "rpartition"}
    | {"removeprefix", "lstrip", "strip"}
)
_ENVIRONMENT_METHODS = frozenset({"setenv", "delenv", "getenv", "putenv", "unsetenv"})
_INHERITING_KEYWORDS = frozenset({"default", "choices", "const", "default_factory", "type"})
_LOGGING = frozenset({"debug", "info", "warning", "warn", "error", "critical", "exception", "log", "print", "write"})
_NOT_DEVICES = ("torch.einsum", "torch.ops", "torch.hub", "torch.utils", "torch.classes", "torch._check")
# Parts of pictures, tables and tests: their texts are for people.
_LABELLING = frozenset(
    {"title", "suptitle", "set_title", "xlabel", "ylabel", "set_xlabel", "set_ylabel", "legend", "annotate", "add_row"}
    | {"skip", "skipIf", "skipUnless", "skipTest", "xfail", "set_description"}
)
_LABELS = frozenset({"label", "title", "xlabel", "ylabel", "legend", "caption", "reason", "msg", "desc"})
_COMMANDS = re.compile(
    r"os\.(?:system|popen|exec\w+|spawn\w+|posix_spawnp?)|subprocess\.\w+|asyncio\.create_subprocess_\w+"
    r"|pexpect\.\w+|shlex\.split|commands\.get\w+"
)
# functions of torch that are given something that maps devices -> its position, its name
_LOCATED = {
    "torch.load": (1, "map_location"),
    "torch.serialization.load": (1, "map_location"),
    "torch.jit.load": (1, "map_location"),
    "torch.serialization.register_package": (2, "deserializer"),
}
_SEARCHES = re.compile(r"re\.(?:search|match|fullmatch|findall|finditer|compile)|pytest\.raises")
_NAMES_OF_CUDA = re.compile(r"\b(?:cuda|CUDA|cublas|curand|cufft|cusparse|nv_)|is_cuda\b")
_DISTRIBUTED = ("init_process_group", "new_group", "init_distributed", "new_subgroups", "initialize_distributed")


def is_message(node: ast.Call, scope: Scope) -> bool:
    """Whether a call shows its arguments to people."""
    function = node.func
    if isinstance(function, ast.Name):
        return function.id in ("print", "warn") or function.id.endswith(("Error", "Exception", "Warning"))
    return (isinstance(function, ast.Attribute) and function.attr in _LOGGING and scope.resolve(function) is None) or (
        (scope.resolve(function) or "").startswith(("warnings.", "logging."))
    )


def argument_meanings(
    node: ast.Call, scope: Scope, inherited: Meaning
) -> tuple[list[Meaning], dict[Optional[str], Meaning]]:
    """Return the meaning of each positional and keyword argument. `inherited` is the meaning of the result."""
    dotted = scope.resolve(node.func)
    if is_foreign(dotted):
        return [Meaning.SHOWN] * len(node.args), {keyword.arg: Meaning.SHOWN for keyword in node.keywords}
    base = _of_function(node.func, dotted, scope)
    positional = [base | Meaning.INDEXED] * len(node.args)
    key = Meaning.NONE
    for index, argument in enumerate(node.args):  # getattr(options, "device", "cuda")
        positional[index] |= key
        key = key or meaning_of_key(argument)
    for index, name in enumerate(_parameters(node.func, scope)[: len(node.args)]):
        positional[index] |= meaning_of_name(name)
    if base & Meaning.ENVIRONMENT:
        positional = [each & ~base if index else base for index, each in enumerate(positional)]
    keywords: dict[Optional[str], Meaning] = {}
    for keyword in node.keywords:
        meaning = meaning_of_name(keyword.arg) | Meaning.INDEXED
        if keyword.arg in _INHERITING_KEYWORDS:
            meaning |= key | inherited
        if base & Meaning.BACKEND and keyword.arg is not None:
            meaning |= base
        if keyword.arg in ("args", "match"):  # of subprocess.run, of pytest.raises
            meaning |= base & (Meaning.COMMAND | Meaning.COMPARED)
        keywords[keyword.arg] = meaning | (Meaning.SHOWN if keyword.arg in _LABELS else Meaning.NONE)
    if getattr(node.func, "attr", getattr(node.func, "id", "")) in _LABELLING:
        positional = [each | Meaning.SHOWN for each in positional]
    if dotted is not None and _SEARCHES.fullmatch(dotted):  # re.match(r"cuda:(\d+)", device)
        subject = Meaning.NONE
        for argument in node.args:
            subject |= meaning_of(argument, scope) & Meaning.DEVICE
        positional = [each | subject for each in positional]
    at, name = _LOCATED.get(dotted or "", (len(positional), ""))
    if at < len(positional):
        positional[at] |= DEVICE | MAP
    if name in keywords:
        keywords[name] |= DEVICE | MAP
    return positional, keywords


def _of_function(function: ast.AST, dotted: Optional[str], scope: Scope) -> Meaning:
    """Return the meanings of the positional arguments of a function."""
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    if dotted is not None and _COMMANDS.fullmatch(dotted):
        return Meaning.COMMAND
    if dotted is not None and _SEARCHES.fullmatch(dotted):
        return Meaning.COMPARED
    if name == "impl" or (dotted or "").startswith("torch.library."):
        return Meaning.DISPATCH
    if dotted is not None and dotted.split(".")[0] == "torch":
        if name in _DISTRIBUTED:
            return Meaning.BACKEND | Meaning.DEVICE
        if dotted.startswith(_NOT_DEVICES):
            return Meaning.NONE
        return DEVICE | (Meaning.BACKEND if dotted.startswith("torch.distributed") else Meaning.NONE)
    if name in _DISTRIBUTED:
        return Meaning.BACKEND
    if name in _ENVIRONMENT_METHODS:
        return Meaning.ENVIRONMENT
    if isinstance(function, ast.Attribute):
        if name in _DEVICE_METHODS:
            return DEVICE
        owner = meaning_of(function.value, scope)
        if name in _TEXT_METHODS or (owner & Meaning.ENVIRONMENT and name in ("get", "pop", "setdefault", "update")):
            return owner | (Meaning.COMPARED if name in _TEXT_METHODS else Meaning.NONE)
    return meaning_of_name(name) & DEVICE


def _parameters(function: ast.AST, scope: Scope) -> list[str]:
    """Return the names of the positional parameters of a function or class of the same file."""
    definition = scope.definition(function)
    if isinstance(definition, ast.ClassDef):
        methods = [each for each in definition.body if isinstance(each, ast.FunctionDef) and each.name == "__init__"]
        return [argument.arg for argument in methods[0].args.args[1:]] if methods else []
    if isinstance(definition, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return [argument.arg for argument in [*definition.args.posonlyargs, *definition.args.args]]
    return []


def _has_names_of_cuda(node: ast.AST) -> bool:
    """Whether a string, as a source of C++, needs porting."""
    return isinstance(node, ast.Constant) and bool(_NAMES_OF_CUDA.search(str(node.value)))


@dataclass(frozen=True)
class Keywords:
    """Renames keywords that are themselves names of CUDA's."""

    findings: Findings

    def change(
        self, node: ast.Call, keyword: ast.keyword, dotted: Optional[str], scope: Scope, offsets: Offsets
    ) -> None:
        """Rename a keyword of a call of the function `dotted`."""
        if keyword.arg is None:
            return
        function = node.args[0] if dotted == "functools.partial" and node.args else node.func
        if (scope.resolve(function) or "").startswith(EXTENSION_MODULE):
            if ExtensionUse(self.findings.code).is_converted(function, scope):
                self._extension(keyword, offsets)
        elif keyword.arg in EXTENSION_KEYWORDS:
            message = f"torch_musa's functions call {keyword.arg} {EXTENSION_KEYWORDS[keyword.arg]}"
            self.findings.note(offsets.start(keyword), UNCLEAR, message)
        elif self._is_environment(node, scope):
            new = environment_variable(keyword.arg)
            if new:
                self.findings.replace(
                    offsets.start(keyword), keyword.arg.encode(), new.encode(), "environment variable"
                )
            elif OTHER_VARIABLE.fullmatch(keyword.arg):
                self.findings.note(offsets.start(keyword), UNCLEAR, f"{keyword.arg} is a variable of CUDA's")

    def _extension(self, keyword: ast.keyword, offsets: Offsets) -> None:
        """Rename a keyword of load() and its like, and the key `nvcc` of extra_compile_args."""
        assert keyword.arg is not None
        new = EXTENSION_KEYWORDS.get(keyword.arg)
        if new:
            self.findings.replace(offsets.start(keyword), keyword.arg.encode(), new.encode(), "extension")
        if keyword.arg == "cuda_sources" and any(map(_has_names_of_cuda, ast.walk(keyword.value))):
            self.findings.note(offsets.start(keyword), UNSUPPORTED, "this source is CUDA's: port it by hand")
        if keyword.arg == "extra_compile_args" and isinstance(keyword.value, ast.Dict):
            for key in keyword.value.keys:
                if isinstance(key, ast.Constant) and key.value == "nvcc":
                    start, end = offsets.start(key), offsets.end(key)
                    self.findings.span(start, end, self.findings.code[start:end].replace(b"nvcc", b"mcc"), "extension")

    def _is_environment(self, node: ast.Call, scope: Scope) -> bool:
        """Whether a call makes an environment: dict(os.environ, NAME=...), environment.update(NAME=...)."""
        sources = [*node.args[:1], *(each.value for each in node.keywords if each.arg is None)]
        if isinstance(node.func, ast.Attribute):
            sources.append(node.func.value)
        return any(meaning_of(each, scope) & Meaning.ENVIRONMENT for each in sources)
