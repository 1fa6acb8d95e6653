"""How a file uses torch.utils.cpp_extension, and which of these uses torch_musa's module can replace."""

from __future__ import annotations

import ast
import enum
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .scopes import Scope

# names of torch.utils.cpp_extension that torch_musa.utils.musa_extension has -> their names there
EXTENSION_NAMES = {
    "CUDAExtension": "MUSAExtension",
    "BuildExtension": "BuildExtension",
    "load": "load",
    "load_inline": "load_inline",
    "include_paths": "include_paths",
    "library_paths": "library_paths",
    "CUDA_HOME": "MUSA_HOME",
}
EXTENSION_KEYWORDS = {
    "extra_cuda_cflags": "extra_musa_cflags",
    "cuda_sources": "musa_sources",
    "with_cuda": "with_musa",
}
EXTENSION_MODULE = "torch.utils.cpp_extension"
MUSA_EXTENSION_MODULE = "torch_musa.utils.musa_extension"

#: The name that torch_musa's module gets in a file that needs PyTorch's beside it.
ADDED = "musa_extension"
_NEEDS_EXTENSION = re.compile(rb"CUDAExtension|CUDA_HOME|\.cu\b|cuda_sources|extra_cuda_cflags")


class Module(enum.Enum):
    """The replacement of a name of the module."""

    KEPT = enum.auto()
    REPLACED = enum.auto()  # it now means torch_musa's
    JOINED = enum.auto()  # both are imported, since torch_musa's lacks a name that the file uses


@dataclass(frozen=True)
class ExtensionUse:
    """The uses of cpp_extension in one file."""

    code: bytes

    @property
    def is_for_cuda(self) -> bool:
        """Whether the file builds something for CUDA."""
        return _NEEDS_EXTENSION.search(self.code) is not None

    def of_module(self, name: str) -> Module:
        """Return the replacement of the module `name` (cpp_extension, torch.utils.cpp_extension)."""
        used = {each.decode() for each in re.findall(rb"\b" + re.escape(name.encode()) + rb"\.(\w+)", self.code)}
        if not self.is_for_cuda or used.isdisjoint(EXTENSION_NAMES):
            return Module.KEPT
        return Module.REPLACED if used <= set(EXTENSION_NAMES) and "." not in name else Module.JOINED

    def new_name(self, name: str) -> str:
        """Return the name of a replaced module: ADDED, or `name` if it is used in other ways than `name.X`."""
        word = rb"(?<![\w.])" + re.escape(name.encode()) + rb"\b"
        imports = re.findall(rb"\bimport\b[^\n;#]*?" + word, self.code)
        return ADDED if len(re.findall(word + rb"(?!\.\w)", self.code)) <= len(imports) else name

    def is_converted(self, function: ast.AST, scope: Scope) -> bool:
        """Whether a function of cpp_extension that is called in this scope becomes torch_musa's."""
        name = (scope.resolve(function) or "").rpartition(".")[2]
        return self.is_for_cuda and name in EXTENSION_NAMES and self._is_replaced(function, scope)

    def _is_replaced(self, node: ast.AST, scope: Scope) -> bool:
        """Whether the expression from which a function is taken becomes torch_musa's."""
        while isinstance(node, ast.Attribute):
            node = node.value
        if not isinstance(node, ast.Name):
            return False
        if node.id == "torch":
            return imports_module(scope)
        owner, bounds = scope.lookup(node.id)
        # an alias of a function (`build = torch.utils.cpp_extension.load`) is resolved
        values = [bound for bound in bounds if isinstance(bound, ast.expr)]
        return all(self._is_replaced(value, owner) for value in values)


def imports_module(scope: Scope) -> bool:
    """Whether `import torch.utils.cpp_extension` binds the `torch` of this scope: there torch_musa's can be added."""
    return any(
        isinstance(bound, ast.alias) and bound.name == EXTENSION_MODULE and not bound.asname
        for bound in scope.lookup("torch")[1]
    )
