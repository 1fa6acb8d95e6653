"""`x.cuda()` and `x.is_cuda` of an unknown `x`."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from functools import cached_property
from typing import Optional

from .edits import LEFT, UNCLEAR, UNSUPPORTED, Findings
from .scopes import Scope
from .source import Offsets
from .vocabulary import is_foreign

_MENTIONS_TORCH = re.compile(rb"\btorch")
_OWN_CUDA = re.compile(
    rb"\.cuda\s*(?::[^=\n]*)?=[^=]|\bdef cuda\b"
    rb"|[\"']-{0,2}(?:no[-_])?cuda[\"']\s*,\s*(?:action|type|help|default)\b"  # an option of the program
)
_OWN_IS_CUDA = re.compile(rb"\.is_cuda\s*=[^=]|\bdef is_cuda\b")
_KEYWORDS = frozenset({"device", "non_blocking", "memory_format", None})


@dataclass(frozen=True)
class Methods:
    """Changes calls of `cuda` and reads of `is_cuda` in one file."""

    findings: Findings

    @cached_property
    def _mentions_torch(self) -> bool:
        return _MENTIONS_TORCH.search(self.findings.code) is not None

    @cached_property
    def _has_own_cuda(self) -> bool:
        return _OWN_CUDA.search(self.findings.code) is not None

    @cached_property
    def _has_own_flag(self) -> bool:
        return _OWN_IS_CUDA.search(self.findings.code) is not None

    def call(self, node: ast.Call, scope: Scope, offsets: Offsets) -> None:
        """Change `x.cuda(...)` if it looks like a tensor's or a module's."""
        function = node.func
        assert isinstance(function, ast.Attribute)
        reason = self._why_not(node, function.value, scope)
        start = offsets.word(function)
        if reason:
            self.findings.note(start, LEFT, f"cuda() was left: {reason}")
        else:
            self.findings.replace(start, b"cuda", b"musa", "method")

    def reference(self, node: ast.Attribute, scope: Scope, offsets: Offsets) -> None:
        """Note an `x.cuda` that is not called here: a method that something calls later, or a flag of this name."""
        if self._mentions_torch and not self._has_own_cuda and scope.resolve(node.value) is None:
            message = "write musa here if this is a tensor's or a module's method cuda; nothing in the file says so"
            self.findings.note(offsets.word(node), UNCLEAR, message)

    def _why_not(self, node: ast.Call, receiver: ast.AST, scope: Scope) -> Optional[str]:
        if not self._mentions_torch:
            return "this file does not mention torch"
        if len(node.args) > 2 or any(keyword.arg not in _KEYWORDS for keyword in node.keywords):
            return "Tensor.cuda and Module.cuda have other parameters"
        dotted = scope.resolve(receiver)
        is_import = isinstance(receiver, ast.Name) and receiver.id in scope.lookup(receiver.id)[0].imported
        if is_foreign(dotted) or is_import:
            return f"{dotted} is another module"
        owner = self._class_of(receiver, scope)
        if owner is not None and _own_cuda(owner):
            return f"the class {owner.name} has a cuda() of its own"
        return None

    def _class_of(self, receiver: ast.AST, scope: Scope) -> Optional[ast.ClassDef]:
        """Return the class of the same file that a receiver is an instance of, if that can be seen."""
        if isinstance(receiver, ast.Name) and receiver.id == "self":
            around: Optional[Scope] = scope
            while around is not None and not isinstance(around.node, ast.ClassDef):
                around = around.parent
            return around.node if around is not None and isinstance(around.node, ast.ClassDef) else None
        if isinstance(receiver, ast.Call) and isinstance(receiver.func, ast.Name) and receiver.func.id == "super":
            return self._class_of(ast.Name("self", ast.Load()), scope)
        value = receiver if isinstance(receiver, ast.Call) else scope.definition(receiver)
        definition = scope.definition(value.func) if isinstance(value, ast.Call) else None
        return definition if isinstance(definition, ast.ClassDef) else None

    def flag(self, node: ast.Attribute, scope: Scope, offsets: Offsets) -> None:
        """Change `x.is_cuda`, unless the file has an attribute of that name itself."""
        start = offsets.word(node)
        if self._has_own_flag:
            self.findings.note(start, UNCLEAR, "is_cuda was left: this file has an attribute of that name")
        elif isinstance(node.ctx, ast.Load) and self._mentions_torch:
            self.findings.replace(start, b"is_cuda", b"is_musa", "attribute")

    def definition(self, node: ast.ClassDef, offsets: Offsets) -> None:
        """Note a class that overrides `cuda`: calls of `musa` pass it by."""
        if _own_cuda(node) and node.bases:
            message = f"the class {node.name} overrides cuda(); a call of musa() does not get there"
            self.findings.note(offsets.start(node), UNSUPPORTED, message)


def _own_cuda(node: ast.ClassDef) -> bool:
    return any(isinstance(each, ast.FunctionDef) and each.name == "cuda" for each in node.body)
