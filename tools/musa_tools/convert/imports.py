"""Import statements: which words of them to change."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import Optional

from .edits import UNSUPPORTED, Findings
from .extension import ADDED, EXTENSION_MODULE, EXTENSION_NAMES, MUSA_EXTENSION_MODULE, ExtensionUse, Module
from .scopes import Scope
from .source import Offsets
from .vocabulary import RENAMED, SUBMODULES, musa_path

_TOKEN = re.compile(rb"#[^\r\n]*|\\\r?\n|[ \t\f\r\n]+|[A-Za-z0-9_\x80-\xff]+|[.,()*;]")
_NAME = re.compile(rb"[A-Za-z0-9_\x80-\xff]+")
RULE = "import"


@dataclass(frozen=True)
class Item:
    """One imported name: `name` or `name as bound`, with the offsets of `name`."""

    name: str
    bound: Optional[str]
    start: int
    end: int

    def text(self, name: str) -> str:
        """Write the item with another name."""
        return f"{name} as {self.bound}" if self.bound else name


@dataclass(frozen=True)
class Words:
    """The words of an import statement: the module of `from`, and the items."""

    module: tuple[int, int]
    items: tuple[Item, ...]
    comments: bool


def read_words(code: bytes, start: int, end: int, is_from: bool) -> Words:
    """Find the words of the import statement between two offsets."""
    tokens: list[tuple[bytes, int]] = []
    comments = False
    for found in _TOKEN.finditer(code, start, end):
        if found.group()[:1] in b"#\\ \t\f\r\n":
            comments = comments or found.group().startswith(b"#")
        else:
            tokens.append((found.group(), found.start()))
    index = 1
    module = (0, 0)
    if is_from:
        stop = next(i for i, (text, _) in enumerate(tokens) if text == b"import")
        module = (tokens[1][1], tokens[stop - 1][1] + len(tokens[stop - 1][0]))
        index = stop + 1
    items: list[Item] = []
    group: list[tuple[bytes, int]] = []
    for text, offset in [*tokens[index:], (b",", end)]:
        if text in (b",", b")") and group:
            items.append(_item(group))
            group = []
        elif text not in (b"(", b",", b")", b";"):
            group.append((text, offset))
    return Words(module, tuple(items), comments)


def _item(group: list[tuple[bytes, int]]) -> Item:
    words = [text for text, _ in group]
    bound = words[-1].decode() if len(words) > 2 and words[-2] == b"as" else None
    named = group[:-2] if bound else group
    end = named[-1][1] + len(named[-1][0])
    return Item(b"".join(text for text, _ in named).decode(), bound, named[0][1], end)


@dataclass(frozen=True)
class Imports:
    """Changes the import statements of one file."""

    findings: Findings

    @property
    def _extension(self) -> ExtensionUse:
        return ExtensionUse(self.findings.code)

    def change(self, node: ast.Import | ast.ImportFrom, scope: Scope, offsets: Offsets) -> None:
        """Change an import statement if it imports something that MUSA has under another name."""
        span = offsets.start(node), offsets.end(node)
        words = read_words(self.findings.code, *span, isinstance(node, ast.ImportFrom))
        if isinstance(node, ast.Import):
            self._import(words, scope, span[1])
        elif not node.level and node.module:
            self._from(node.module, words, span)

    def _import(self, words: Words, scope: Scope, end: int) -> None:
        for item in words.items:
            if item.name == "torch.cuda" or item.name.startswith("torch.cuda."):
                self._import_cuda(item, scope)
            elif item.name == EXTENSION_MODULE:
                becomes = self._extension.of_module(item.bound or item.name)
                if becomes is Module.REPLACED and item.bound:
                    text = f"{MUSA_EXTENSION_MODULE} as {self._extension.new_name(item.bound)}"
                    self.findings.span(item.start, self._end_of(item), text.encode(), RULE)
                elif becomes is Module.JOINED:
                    self.findings.span(end, end, f", {MUSA_EXTENSION_MODULE} as {ADDED}".encode(), RULE)

    def _import_cuda(self, item: Item, scope: Scope) -> None:
        submodule = item.name[len("torch.cuda.") :]
        if submodule and submodule not in SUBMODULES:
            self.findings.note(item.start, UNSUPPORTED, f"torch.musa has no {submodule}")
            return
        module = SUBMODULES[submodule][1] if submodule and item.bound else "torch_musa"
        # `import torch.cuda` binds `torch`. If nothing else does, that must stay.
        text = module if item.bound or _binds_torch(scope) else f"torch, {module}"
        self.findings.span(item.start, item.end, text.encode(), RULE)

    def _from(self, module: str, words: Words, span: tuple[int, int]) -> None:
        if module == "torch":
            for item in words.items:
                if item.name == "cuda":
                    text = b"musa" if item.bound else b"musa as cuda"
                    self.findings.span(item.start, item.end, text, RULE)
        elif module == "torch.cuda" or module.startswith("torch.cuda."):
            self._from_cuda(module, words, span)
        elif module == EXTENSION_MODULE and any(item.name == "*" for item in words.items):
            if self._extension.is_for_cuda:
                message = f"import the names that are used, from {MUSA_EXTENSION_MODULE} where it has them"
                self.findings.note(span[0], UNSUPPORTED, message)
        elif module in ("torch.distributed", "torch.distributed.distributed_c10d"):
            for item in words.items:
                if item.name == "ProcessGroupNCCL":
                    named = "ProcessGroupMCCL" if item.bound else "ProcessGroupMCCL as ProcessGroupNCCL"
                    self.findings.span(item.start, item.end, named.encode(), RULE)
        elif module == EXTENSION_MODULE and self._extension.is_for_cuda:
            new = {item: item.text(EXTENSION_NAMES[item.name]) for item in words.items if item.name in EXTENSION_NAMES}
            self._split(module, MUSA_EXTENSION_MODULE, words, new, span)
        elif module == "torch.utils":
            for item in words.items:
                bound = item.bound or item.name
                becomes = self._extension.of_module(bound) if item.name == "cpp_extension" else Module.KEPT
                if becomes is Module.REPLACED:
                    name = self._extension.new_name(bound)
                    written = "musa_extension" if name == ADDED else f"musa_extension as {name}"
                    self._split(module, "torch_musa.utils", words, {item: written}, span)
                elif becomes is Module.JOINED:
                    self.findings.span(span[1], span[1], f"; from torch_musa.utils import {ADDED}".encode(), RULE)

    def _from_cuda(self, module: str, words: Words, span: tuple[int, int]) -> None:
        submodule = module[len("torch.cuda.") :]
        if submodule and submodule not in SUBMODULES:
            self.findings.note(span[0], UNSUPPORTED, f"torch.musa has no {submodule}")
            return
        new: dict[Item, str] = {}
        for item in words.items:
            path = f"{submodule}.{item.name}" if submodule else item.name
            if musa_path(path) is None or (not submodule and SUBMODULES.get(item.name, ("x",))[0] == ""):
                what = "names that are not listed" if item.name == "*" else path
                self.findings.note(item.start, UNSUPPORTED, f"torch.musa has no {what}")
            else:
                renamed = RENAMED.get(item.name)
                new[item] = f"{renamed} as {item.bound or item.name}" if renamed else item.text(item.name)
        self._split(module, SUBMODULES[submodule][1] if submodule else "torch_musa", words, new, span)

    def _split(self, old: str, module: str, words: Words, new: dict[Item, str], span: tuple[int, int]) -> None:
        """Import the items `new`, written so, from `module`, and all others from where they came."""
        if not new:
            return
        if len(new) == len(words.items):
            self.findings.span(*words.module, module.encode(), RULE)
            for item, text in new.items():
                if text != item.text(item.name):
                    end = item.end if not item.bound else self._end_of(item)
                    self.findings.span(item.start, end, text.encode(), RULE)
            return
        if words.comments:
            self.findings.note(span[0], UNSUPPORTED, f"import {', '.join(new.values())} from {module}")
            return
        rest = ", ".join(item.text(item.name) for item in words.items if item not in new)
        text = f"from {module} import {', '.join(new.values())}; from {old} import {rest}"
        self.findings.span(*span, text.encode(), RULE)

    def _end_of(self, item: Item) -> int:
        """Return where `name as bound` ends."""
        bound = (item.bound or "").encode()
        offset = item.end
        while True:
            found = _NAME.search(self.findings.code, offset)
            assert found, "an item has no end"
            offset = found.end()
            if found.group() == bound:
                return offset


def _binds_torch(scope: Scope) -> bool:
    """Whether something beside `import torch.cuda` binds the name `torch`."""
    return any(
        not isinstance(bound, ast.alias) or not bound.name.startswith("torch.cuda")
        for bound in scope.lookup("torch")[1]
    )
