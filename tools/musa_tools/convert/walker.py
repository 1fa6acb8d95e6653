"""One pass over a file's syntax tree, from the top down: each expression inherits a meaning from its context."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any, Optional

from .calls import Keywords, argument_meanings, is_message
from .candidates import CandidateLines
from .edits import LEFT, UNCLEAR, Findings
from .imports import Imports
from .meanings import (
    DEVICE,
    MAP,
    Meaning,
    meaning_of,
    meaning_of_alternatives,
    meaning_of_key,
    meaning_of_name,
    meaning_of_returned,
)
from .methods import Methods
from .scopes import Scope
from .source import Offsets, Source
from .strings import Strings
from .torch_names import RENAMED_IMPORTS, TF32_SWITCHES, CardFacts, TorchNames

_NONE = Meaning.NONE
# Their results mean what their arguments do: ":".join(["cuda", "0"]), "{}:0".format("cuda"), Choice(["cpu", "cuda"]).
_KEEPS_MEANING = frozenset({"join", "format", "Choice", "list", "tuple", "set", "frozenset", "sorted"})


class Walker:
    """Converts one file. Its results are in `findings`."""

    def __init__(self, source: Source, scope: Scope, messages: bool) -> None:
        self.findings = Findings(source.code)
        self._messages = messages
        self._lines = CandidateLines(source.code, messages, scope.locations.names)
        self._line_starts = source.line_starts
        self._offsets = Offsets(source.line_starts)
        self._module = self._scope = scope
        self._strings = Strings(self.findings)
        self._names = TorchNames(self.findings)
        self._cards = CardFacts(self.findings)
        self._imports = Imports(self.findings)
        self._methods = Methods(self.findings)
        self._keywords = Keywords(self.findings)
        self._tf32: set[object] = set()
        self._is_shown = False  # within the arguments of a call that shows them to people

    def walk(self) -> None:
        """Convert everything."""
        node = self._scope.node
        assert isinstance(node, ast.Module)
        self._block(node.body)
        if len(self._tf32) > 1:
            self.findings.note(0, LEFT, "cudnn's and cuda.matmul's allow_tf32 differ here; on MUSA they are one switch")

    # -- the machinery

    def _visit(self, node: Optional[ast.AST], inherited: Meaning = _NONE) -> None:
        if node is None:
            return
        getattr(self, f"_visit_{type(node).__name__}", self._generic)(node, inherited)

    def _generic(self, node: ast.AST, inherited: Meaning) -> None:
        for name in node._fields:
            value = getattr(node, name, None)
            if isinstance(value, list):
                if value and isinstance(value[0], ast.stmt):
                    self._block(value)
                else:
                    for each in value:
                        if isinstance(each, ast.AST):
                            self._visit(each)
            elif isinstance(value, ast.AST):
                self._visit(value)

    def _block(self, statements: Iterable[ast.stmt]) -> None:
        """Visit the statements that hold a word in question."""
        for statement in statements:
            first = min([statement, *getattr(statement, "decorator_list", ())], key=lambda node: node.lineno)
            if self._lines.any_between(self._offsets.start(first), self._offsets.end(statement)):
                self._visit(statement)

    def _within(self, scope: Scope, action: Callable[[], None]) -> None:
        outer, self._scope = self._scope, scope
        try:
            action()
        finally:
            self._scope = outer

    def _resolve(self, node: ast.AST) -> Optional[str]:
        return self._scope.resolve(node)

    def _meaning_of(self, node: Optional[ast.AST]) -> Meaning:
        return meaning_of(node, self._scope)

    # -- scopes

    def _visit_FunctionDef(self, node: Any, inherited: Meaning) -> None:
        for decorator in node.decorator_list:
            self._visit(decorator)
        self._parameters(node.args)
        self._visit(node.returns)
        self._within(self._scope.inner(node), lambda: self._block(node.body))

    _visit_AsyncFunctionDef = _visit_FunctionDef

    def _visit_Lambda(self, node: ast.Lambda, inherited: Meaning) -> None:
        self._parameters(node.args)
        scope = self._scope.inner(node, is_location=bool(inherited & Meaning.LOCATION))
        self._within(scope, lambda: self._visit(node.body, inherited & ~MAP))

    def _parameters(self, arguments: ast.arguments) -> None:
        """Visit defaults and annotations; the name of a parameter gives its default a meaning."""
        positional = [*arguments.posonlyargs, *arguments.args]
        pairs = list(zip(positional[len(positional) - len(arguments.defaults) :], arguments.defaults))
        pairs += [
            (name, value) for name, value in zip(arguments.kwonlyargs, arguments.kw_defaults) if value is not None
        ]
        for argument, default in pairs:
            self._visit(default, meaning_of_name(argument.arg) | Meaning.INDEXED)
        for each in [*positional, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]:
            if each is not None:
                self._visit(each.annotation, meaning_of_name(each.arg) | Meaning.INDEXED)

    def _visit_ClassDef(self, node: ast.ClassDef, inherited: Meaning) -> None:
        for each in [*node.decorator_list, *node.bases, *node.keywords]:
            self._visit(each)
        self._methods.definition(node, self._offsets)
        self._within(self._scope.inner(node), lambda: self._block(node.body))

    def _comprehension(self, node: Any, inherited: Meaning) -> None:
        scope = self._scope.inner(node)
        for generator in node.generators:
            self._visit(generator.iter, meaning_of(generator.target, scope))
        self._within(scope, lambda: self._inside_comprehension(node, inherited))

    def _inside_comprehension(self, node: Any, inherited: Meaning) -> None:
        for generator in node.generators:
            for condition in generator.ifs:
                self._visit(condition)
        if isinstance(node, ast.DictComp):
            self._visit(node.key, inherited if inherited & Meaning.KEYS else Meaning.INDEXED)
            self._visit(node.value, inherited)
        else:
            self._visit(node.elt, inherited)

    _visit_ListComp = _visit_SetComp = _visit_DictComp = _visit_GeneratorExp = _comprehension

    # -- statements

    def _visit_Import(self, node: ast.Import | ast.ImportFrom, inherited: Meaning) -> None:
        self._imports.change(node, self._scope, self._offsets)
        self._cards.imported(node, self._offsets)

    _visit_ImportFrom = _visit_Import

    def _visit_Expr(self, node: ast.Expr, inherited: Meaning) -> None:
        if not isinstance(node.value, ast.Constant):  # a docstring means nothing
            self._visit(node.value)

    def _visit_If(self, node: ast.If, inherited: Meaning) -> None:
        self._visit(node.test)
        if not _never_runs(node.test):
            self._block(node.body)
        self._block(node.orelse)

    def _visit_Assign(self, node: ast.Assign, inherited: Meaning) -> None:
        for target in node.targets:
            self._visit(target)
            if self._resolve(target) in TF32_SWITCHES and isinstance(node.value, ast.Constant):
                self._tf32.add(node.value.value)
        first = node.targets[0]
        targets, values = getattr(first, "elts", []), getattr(node.value, "elts", [])
        if targets and len(targets) == len(values):  # device, dtype = "cuda", torch.half
            for target, value in zip(targets, values):
                self._visit(value, self._meaning_of(target) | Meaning.INDEXED)
            return
        meaning = _NONE
        for target in node.targets:
            meaning |= self._meaning_of(target)
            if self._scope.locations.gives(target):
                meaning |= DEVICE | MAP
        self._visit(node.value, meaning | Meaning.INDEXED)

    def _visit_AnnAssign(self, node: ast.AnnAssign, inherited: Meaning) -> None:
        meaning = self._meaning_of(node.target) | Meaning.INDEXED
        self._visit(node.target)
        self._visit(node.annotation, meaning)
        self._visit(node.value, meaning)

    def _visit_Return(self, node: ast.Return, inherited: Meaning) -> None:
        meaning = meaning_of_name(getattr(self._scope.node, "name", None)) & DEVICE
        self._visit(node.value, meaning | meaning_of_returned(self._scope) | Meaning.INDEXED)

    def _visit_For(self, node: ast.For | ast.AsyncFor, inherited: Meaning) -> None:
        self._visit(node.target)
        self._visit(node.iter, self._meaning_of(node.target))
        self._block(node.body)
        self._block(node.orelse)

    _visit_AsyncFor = _visit_For

    def _visit_Raise(self, node: ast.Raise, inherited: Meaning) -> None:
        self._visit(node.exc, self._message_meaning())
        self._visit(node.cause)

    def _visit_Assert(self, node: ast.Assert, inherited: Meaning) -> None:
        self._visit(node.test)
        self._visit(node.msg, self._message_meaning() | Meaning.SHOWN)

    def _visit_Match(self, node: Any, inherited: Meaning) -> None:
        meaning = self._meaning_of(node.subject)
        self._visit(node.subject)
        for case in node.cases:
            for pattern in ast.walk(case.pattern):
                if type(pattern).__name__ == "MatchValue":  # Python 3.10 and newer
                    self._visit(pattern.value, meaning)  # type: ignore[attr-defined]
            self._visit(case.guard)
            self._block(case.body)

    # -- expressions

    def _message_meaning(self) -> Meaning:
        return Meaning.MESSAGE if self._messages else _NONE

    def _visit_Call(self, node: ast.Call, inherited: Meaning) -> None:
        dotted = self._resolve(node.func)
        if inherited & Meaning.LOCATION or (
            self._scope.maps_location and _is_helper(node.func, self._scope, node.args)
        ):
            self._scope.locations.give(node if inherited & Meaning.LOCATION else node.func)
        if getattr(node.func, "attr", "") in ("format", "join"):
            self._composing(node, inherited, lambda: self._call(node, dotted, inherited))
        else:
            self._call(node, dotted, inherited)

    def _call(self, node: ast.Call, dotted: Optional[str], inherited: Meaning) -> None:
        self._function(node, dotted, inherited)
        if (dotted or "").endswith(".GPUTarget"):
            target = "GPUTarget names a card of NVIDIA's for Triton: its target for MUSA is another"
            self.findings.note(self._offsets.start(node), UNCLEAR, target)
        if is_message(node, self._scope) or inherited & Meaning.MESSAGE:
            is_written = getattr(node.func, "attr", "") == "write"
            message = self._message_meaning() | Meaning.SHOWN | (Meaning.WRITTEN if is_written else _NONE)
            outer, self._is_shown = self._is_shown, True
            for argument in [*node.args, *(keyword.value for keyword in node.keywords)]:
                self._visit(argument, message)
            self._is_shown = outer
            return
        positional, keywords = argument_meanings(node, self._scope, inherited)
        if getattr(node.func, "attr", getattr(node.func, "id", "")) in _KEEPS_MEANING:
            positional = [each | inherited & (Meaning.COMMAND | Meaning.DEVICE) for each in positional]
        if self._is_attribute_of_torch(node):
            positional[1] |= Meaning.DEVICE
        outer, self._is_shown = self._is_shown, self._is_shown and getattr(node.func, "attr", "") in ("format", "join")
        for argument, meaning in zip(node.args, positional):
            self._visit(argument, meaning)
        for keyword in node.keywords:
            self._keywords.change(node, keyword, dotted, self._scope, self._offsets)
            self._visit(keyword.value, keywords.get(keyword.arg, _NONE))
        self._is_shown = outer

    def _function(self, node: ast.Call, dotted: Optional[str], inherited: Meaning) -> None:
        """Visit the called function."""
        function = node.func
        if isinstance(function, ast.Attribute) and not (dotted or "").startswith("torch."):
            self._names.of_runtime(function, self._scope, self._offsets)
            if function.attr == "cuda":
                self._methods.call(node, self._scope, self._offsets)
            meaning = inherited if function.attr in ("format", "lower", "upper", "strip", "replace") else _NONE
            if function.attr in ("get", "pop"):  # {"cuda": ...}.get(device.type)
                meaning = self._keys_by(*node.args[:1])
            self._visit(function.value, meaning)
        else:
            self._visit(function)

    def _keys_by(self, *chosen: ast.AST) -> Meaning:
        """Return the meaning of a dictionary of which an expression chooses a value."""
        return DEVICE | Meaning.KEYS if any(self._meaning_of(each) & DEVICE for each in chosen) else _NONE

    def _is_attribute_of_torch(self, node: ast.Call) -> bool:
        """Whether a call is getattr(torch, ...), hasattr(torch, ...) or the like."""
        names = ("getattr", "hasattr", "setattr", "delattr")
        return (
            isinstance(node.func, ast.Name)
            and node.func.id in names
            and len(node.args) > 1
            and self._resolve(node.args[0]) == "torch"
        )

    def _visit_Attribute(self, node: ast.Attribute, inherited: Meaning) -> None:
        if inherited & Meaning.LOCATION:
            self._scope.locations.give(node)
        dotted = self._resolve(node)
        if dotted is not None and dotted.startswith("torch."):
            self._names.change(node, dotted, self._scope, self._offsets)
            if not self._is_shown:
                self._cards.function(node, dotted, self._offsets)
            return
        if not self._is_shown:
            self._cards.member(node, self._scope, self._offsets)
        self._names.of_runtime(node, self._scope, self._offsets)
        if node.attr == "is_cuda":
            self._methods.flag(node, self._scope, self._offsets)
        elif node.attr == "cuda" and isinstance(node.ctx, ast.Load):
            self._methods.reference(node, self._scope, self._offsets)
        self._visit(node.value)

    def _visit_Name(self, node: ast.Name, inherited: Meaning) -> None:
        if inherited & Meaning.LOCATION:
            self._scope.locations.give(node)
        if node.id in RENAMED_IMPORTS:  # also `except ImportError: CUDA_HOME = None`
            dotted = self._resolve(node)
            if dotted is not None and dotted.startswith("torch."):
                self._names.change(node, dotted, self._scope, self._offsets)
        elif not self._is_shown:
            self._cards.name(node, self._scope, self._offsets)

    def _visit_Constant(self, node: ast.Constant, inherited: Meaning) -> None:
        if isinstance(node.value, str):
            inherited |= Meaning.LOCATION if self._scope.maps_location else _NONE
            inherited |= Meaning.SHOWN if self._is_shown else _NONE
            self._strings.constant(node, inherited, self._offsets)

    def _visit_JoinedStr(self, node: ast.JoinedStr, inherited: Meaning) -> None:
        self._composing(node, inherited, lambda: self._f_string(node, inherited))

    def _f_string(self, node: ast.JoinedStr, inherited: Meaning) -> None:
        for expression, offsets in self._strings.formatted(node, inherited, self._offsets):
            outer, self._offsets = self._offsets, offsets
            try:
                self._visit(expression)
            finally:
                self._offsets = outer

    def _visit_IfExp(self, node: ast.IfExp, inherited: Meaning) -> None:
        if _is_nccl_choice(node, self._resolve):
            self._nccl_choice(node)
            return
        if self._resolve(getattr(node.test, "func", node)) == "torch.cuda.is_available":
            inherited |= DEVICE
        inherited |= meaning_of_alternatives([node])
        self._visit(node.test)
        self._visit(node.body, inherited)
        self._visit(node.orelse, inherited)

    def _nccl_choice(self, node: ast.IfExp) -> None:
        """`"nccl" if is_nccl_available() else "gloo"` becomes `"mccl"`: there is no question to ask on MUSA."""
        code, offsets = self.findings.code, self._offsets
        text = code[offsets.start(node.body) : offsets.end(node.body)].replace(b"nccl", b"mccl")
        self.findings.span(offsets.start(node), offsets.end(node), text, "backend string")

    def _visit_BoolOp(self, node: ast.BoolOp, inherited: Meaning) -> None:
        inherited |= meaning_of_alternatives(node.values)
        for value in node.values:
            inherited |= self._meaning_of(value) if isinstance(node.op, ast.Or) else _NONE
        for value in node.values:
            self._visit(value, inherited)

    def _composing(self, node: ast.expr, inherited: Meaning, visit: Callable[[], None]) -> None:
        """Visit an expression that may put a text together. Judge that text if nothing is said about its parts."""
        parts = self._strings.parts(node, self._scope)
        inherited |= Meaning.SHOWN if self._is_shown else _NONE
        literals = [literal for _, literal in parts or () if literal is not None]
        if parts and len(literals) == len(parts) and self._strings.joined(literals, inherited, self._offsets):
            return
        before = self._strings.size
        visit()
        if parts and len(parts) > 1 and self._strings.size == before and not self._is_converted(node):
            self._strings.composed(self._offsets.start(node), "".join(text for text, _ in parts), inherited)

    def _is_converted(self, node: ast.expr) -> bool:
        """Return whether the value of a variable in an expression was changed where the variable gets it."""
        names = [each for each in ast.walk(node) if isinstance(each, ast.Name)]
        values = [value for value in map(self._scope.definition, names) if isinstance(value, ast.expr)]
        offsets = Offsets(self._line_starts)
        ranges = [(offsets.start(value), offsets.end(value)) for value in values]
        return any(start <= edit < end for edit, _ in self.findings.edits for start, end in ranges)

    def _visit_BinOp(self, node: ast.BinOp, inherited: Meaning) -> None:
        self._composing(node, inherited, lambda: self._sum(node, inherited))

    def _sum(self, node: ast.BinOp, inherited: Meaning) -> None:
        left: ast.expr = node
        while isinstance(left, ast.BinOp):  # long sums are deep trees
            merged = self._meaning_of(left.left) & Meaning.ENVIRONMENT if isinstance(left.op, ast.BitOr) else _NONE
            filled_in = inherited & Meaning.DEVICE if isinstance(left.op, ast.Mod) else _NONE  # "%s:%d" % ("cuda", 0)
            self._visit(left.right, merged | filled_in)
            left = left.left
        self._visit(left, inherited)

    def _visit_Compare(self, node: ast.Compare, inherited: Meaning) -> None:
        operands = [node.left, *node.comparators]
        meaning = _NONE
        for operand in operands:
            meaning |= self._meaning_of(operand)
        for operand in operands:
            self._visit(operand, meaning | Meaning.INDEXED | Meaning.COMPARED)

    def _sequence(self, node: Any, inherited: Meaning) -> None:
        option = _NONE  # ["--device", "cuda"]
        inherited |= meaning_of_alternatives(node.elts)
        for element in node.elts:
            self._visit(element, inherited | option)
            is_option = isinstance(element, ast.Constant) and str(element.value).startswith("-")
            option = meaning_of_key(element) if is_option else _NONE

    _visit_List = _visit_Tuple = _visit_Set = _sequence

    def _visit_Dict(self, node: ast.Dict, inherited: Meaning) -> None:
        keys = inherited if inherited & (Meaning.KEYS | Meaning.ENVIRONMENT) else Meaning.INDEXED
        if self._is_by_device(node):
            keys |= DEVICE
        for key, value in zip(node.keys, node.values):
            self._visit(key, keys)
            inherited = inherited & ~Meaning.ENVIRONMENT
            self._visit(value, inherited | meaning_of_key(key) | Meaning.INDEXED)

    def _visit_Subscript(self, node: ast.Subscript, inherited: Meaning) -> None:
        # {"cuda": ..., "cpu": ...}[device.type]; ("cpu", "cuda")[is_available()], which has the meaning of the whole
        chosen = inherited if isinstance(node.value, (ast.Tuple, ast.List)) else _NONE
        self._visit(node.value, self._keys_by(node.slice) | chosen)
        environment = self._meaning_of(node.value) & Meaning.ENVIRONMENT
        literal = getattr(node.value, "attr", getattr(node.value, "id", "")) == "Literal"
        by_device = DEVICE if self._is_by_device(self._scope.definition(node.value)) else Meaning.INDEXED
        self._visit(node.slice, environment or (inherited if literal else by_device))

    def _is_by_device(self, node: Optional[ast.AST]) -> bool:
        """Whether a dictionary has a value for the CPU and one for CUDA, and these may be PyTorch's devices."""
        if not isinstance(node, ast.Dict):
            return False
        keys = {key.value for key in node.keys if isinstance(key, ast.Constant)}
        return {"cuda", "cpu"} <= keys and (b"torch" in self.findings.code or node in self._chosen_by_device)

    @cached_property
    def _chosen_by_device(self) -> frozenset[ast.AST]:
        """The values of variables of which something is chosen by a device: `table[device]`."""
        chosen = set()
        for node in ast.walk(self._module.node):
            key, table = None, node
            if isinstance(node, ast.Subscript):
                key, table = node.slice, node.value
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
                key, table = (node.args[0] if node.func.attr in ("get", "pop") else None), node.func.value
            if meaning_of(key, self._module) & DEVICE:
                chosen.add(self._module.definition(table))
        return frozenset(each for each in chosen if each is not None)

    def _visit_Index(self, node: Any, inherited: Meaning) -> None:
        self._visit(node.value, inherited)  # Python 3.8's; kept by some tools

    def _passing(self, node: Any, inherited: Meaning) -> None:
        self._visit(node.value, inherited)

    _visit_Starred = _visit_Await = _passing

    def _visit_NamedExpr(self, node: ast.NamedExpr, inherited: Meaning) -> None:
        self._visit(node.value, inherited | self._meaning_of(node.target))


def _is_helper(function: ast.AST, scope: Scope, arguments: Iterable[ast.AST]) -> bool:
    """Whether a call in a function for `map_location` hands a device to another function of the file."""
    owner = getattr(function.value, "id", "") if isinstance(function, ast.Attribute) else "self"
    return owner in ("self", "cls") and any(meaning_of(each, scope) & DEVICE for each in arguments)


def _never_runs(test: ast.AST) -> bool:
    """Whether a condition is false when the program runs: False, 0, TYPE_CHECKING."""
    if isinstance(test, ast.Constant):
        return not test.value
    return getattr(test, "attr", getattr(test, "id", "")) == "TYPE_CHECKING"


def _is_nccl_choice(node: ast.IfExp, resolve: Callable[[ast.AST], Optional[str]]) -> bool:
    called = resolve(node.test.func) if isinstance(node.test, ast.Call) else None
    is_nccl = isinstance(node.body, ast.Constant) and node.body.value == "nccl"
    return is_nccl and called is not None and called.endswith("is_nccl_available") and called.startswith("torch.")
