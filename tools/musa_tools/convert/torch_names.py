"""Dotted names that are known to be PyTorch's: torch.cuda, torch.backends, profiler activities, cpp_extension."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import Optional

from .edits import LEFT, UNCLEAR, UNSUPPORTED, Findings
from .extension import ADDED, EXTENSION_MODULE, EXTENSION_NAMES, ExtensionUse, Module, imports_module
from .scopes import Scope
from .source import Offsets
from .vocabulary import CAPABILITY_PROPERTIES, CARD_FACTS, CARD_PROPERTIES, dispatch_key, is_foreign, musa_path

TF32_SWITCHES = ("torch.backends.cudnn.allow_tf32", "torch.backends.cuda.matmul.allow_tf32")
#: names that a file imports from cpp_extension and that MUSA calls otherwise
RENAMED_IMPORTS = frozenset(name for name, new in EXTENSION_NAMES.items() if new != name)
_CLASSES_WITH_CUDA = frozenset({"Tensor", "Module", "Parameter", "PackedSequence", "UntypedStorage", "TypedStorage"})
_REMARKS = {  # prefix -> a remark; the first that fits
    "torch.version.cuda": (UNSUPPORTED, "torch.version.cuda is None on MUSA; torch.version.musa may be meant"),
    "torch.distributed.is_nccl_available": (UNSUPPORTED, "asks for NCCL; on MUSA the backend is mccl"),
    "torch._inductor.config.cuda": (LEFT, "is for CUDA's kernels alone: without effect on MUSA"),
    "torch.backends.cuda.cufft_plan_cache": (UNSUPPORTED, "fails where PyTorch has no cuFFT"),
    "torch.backends.cudnn": (LEFT, "a switch of cuDNN: without effect on MUSA"),
    "torch.backends.cuda": (LEFT, "a switch of CUDA's: without effect on MUSA"),
}


@dataclass(frozen=True)
class Chain:
    """`a.b.c` in the source, and the dotted name that it means, which may be longer: `a` may be an alias."""

    parts: tuple[str, ...]
    attributes: tuple[ast.Attribute, ...]  # from the right
    root: ast.AST

    @classmethod
    def of(cls, node: ast.AST, dotted: str) -> Chain:
        """Take an expression apart."""
        attributes = []
        while isinstance(node, ast.Attribute):
            attributes.append(node)
            node = node.value
        return cls(tuple(dotted.split(".")), tuple(attributes), node)

    def at(self, length: int) -> Optional[ast.Attribute]:
        """Return the attribute that ends the first `length` parts, or None if an alias means them."""
        index = len(self.parts) - length
        return self.attributes[index] if 0 <= index < len(self.attributes) else None


@dataclass(frozen=True)
class TorchNames:
    """Changes names of PyTorch in one file."""

    findings: Findings

    def change(self, node: ast.AST, dotted: str, scope: Scope, offsets: Offsets) -> None:
        """Change the expression `node`, which means `dotted`, if MUSA calls it otherwise."""
        chain = Chain.of(node, dotted)
        parts = chain.parts
        if parts[:2] == ("torch", "cuda"):
            self._cuda(chain, offsets)
        elif parts[:2] == ("torch", "_C") and parts[2:] and parts[2].startswith("_cuda_"):
            self.findings.note(offsets.start(node), UNSUPPORTED, f"{dotted} is for CUDA alone")
        elif dotted.startswith(TF32_SWITCHES):
            self._tf32(chain, scope, offsets)
        elif dotted.startswith(EXTENSION_MODULE + "."):
            self._extension(chain, scope, offsets)
        elif parts[-1] in ("cuda", "is_cuda") and parts[-2] in _CLASSES_WITH_CUDA:
            self._rename(chain.at(len(parts)), parts[-1].replace("cuda", "musa"), "tensor method", offsets)
        elif parts[:3] == ("torch", "distributed", "ProcessGroupNCCL"):
            self._rename(chain.at(3), "ProcessGroupMCCL", "process group", offsets)
        elif parts[:2] == ("torch", "distributed") and parts[-2:] == ("Backend", "NCCL"):
            self._rename(chain.at(len(parts)), "MCCL", "backend string", offsets)
        elif parts[-2] in ("DispatchKey", "DeviceType") and dispatch_key(parts[-1]):
            self._rename(chain.at(len(parts)), dispatch_key(parts[-1]) or "", "dispatch key", offsets)
        elif parts[-2:] == ("ProfilerActivity", "CUDA"):
            self._rename(chain.at(len(parts)), "MUSA", "profiler activity", offsets)
        elif parts[-1] in ("CUDA", "NCCL"):
            self.findings.note(offsets.start(node), UNCLEAR, f"{dotted} is CUDA's: look at what MUSA has for it")
        elif dotted not in CARD_FACTS:
            for prefix, (level, message) in _REMARKS.items():
                if dotted == prefix or dotted.startswith(prefix + "."):
                    self.findings.note(offsets.start(node), level, f"{dotted}: {message}")
                    return

    def _rename(self, node: Optional[ast.Attribute], new: str, rule: str, offsets: Offsets) -> None:
        if node is not None:
            self.findings.replace(offsets.word(node), node.attr.encode(), new.encode(), rule)

    def _cuda(self, chain: Chain, offsets: Offsets) -> None:
        path = musa_path(".".join(chain.parts[2:]))
        if path is None:
            offset = offsets.start(chain.attributes[0] if chain.attributes else chain.root)
            self.findings.note(offset, UNSUPPORTED, f"torch.musa has no {'.'.join(chain.parts[2:])}")
            return
        new = ["musa", *path.split(".")] if path else ["musa"]
        first = chain.at(2)
        if len(new) == len(chain.parts) - 1:
            for index, word in enumerate(new):
                node = chain.at(index + 2)
                if node is not None and node.attr != word:
                    self._rename(node, word, "torch.cuda", offsets)
        elif first is not None:
            start, end = offsets.word(first), offsets.end(chain.attributes[0])
            self.findings.span(start, end, ".".join(new).encode(), "torch.cuda")

    def of_runtime(self, node: ast.Attribute, scope: Scope, offsets: Offsets) -> None:
        """Change the name of a function of the runtime library, which torch.cuda.cudart() returns."""
        if not re.match("cuda[A-Z]", node.attr) or b"cudart" not in self.findings.code:
            return
        new = node.attr.replace("cuda", "musa", 1)
        value = node.value if isinstance(node.value, ast.Call) else scope.definition(node.value)
        if isinstance(value, ast.Call) and scope.resolve(value.func) == "torch.cuda.cudart":
            self._rename(node, new, "torch.cuda", offsets)
        elif not is_foreign(scope.resolve(node)):
            message = f"{node.attr} of torch.cuda.cudart() is {new} of torch.musa.musart(): look at whose this is"
            self.findings.note(offsets.start(node), UNCLEAR, message)

    def _tf32(self, chain: Chain, scope: Scope, offsets: Offsets) -> None:
        """Both of CUDA's switches become one: torch.backends.mudnn.allow_tf32."""
        first, last = chain.at(3), chain.at(chain.parts.index("allow_tf32"))
        if first is not None and last is not None:
            self.findings.span(offsets.word(first), offsets.end(last), b"mudnn", "TF32 switch")
        elif isinstance(chain.root, ast.Name) and len(chain.attributes) == 1 and scope.lookup("torch")[1]:
            start = offsets.start(chain.root)
            self.findings.replace(start, chain.root.id.encode(), b"torch.backends.mudnn", "TF32 switch")
        else:
            message = "write torch.backends.mudnn.allow_tf32 here"
            self.findings.note(offsets.start(chain.root), UNSUPPORTED, message)

    def _extension(self, chain: Chain, scope: Scope, offsets: Offsets) -> None:
        name = chain.parts[3]
        new = EXTENSION_NAMES.get(name)
        node, root = chain.at(4), chain.root
        if new is None or not isinstance(root, ast.Name):
            return
        if node is None:
            if root.id == name:  # from torch.utils.cpp_extension import CUDAExtension
                self.findings.replace(offsets.start(root), name.encode(), new.encode(), "extension")
            return
        module = chain.at(3) or root
        written = EXTENSION_MODULE if root.id == "torch" else root.id
        use = ExtensionUse(self.findings.code)
        becomes = use.of_module(written)
        if becomes is Module.JOINED and root.id == "torch" and not imports_module(scope):
            self.findings.note(offsets.start(root), UNSUPPORTED, f"use torch_musa.utils.musa_extension.{new} here")
        elif becomes is not Module.KEPT:
            name = ADDED if becomes is Module.JOINED else use.new_name(written)
            self.findings.span(offsets.start(module), offsets.end(module), name.encode(), "extension")
            self._rename(node, new, "extension", offsets)


@dataclass(frozen=True)
class CardFacts:
    """Notes the queries of a card's name or capability: decisions based on them may be wrong on MUSA."""

    findings: Findings

    def function(self, node: ast.AST, dotted: str, offsets: Offsets) -> None:
        """Note one of torch's functions that tell such a fact."""
        if dotted in CARD_FACTS:
            self.findings.note(offsets.start(node), UNCLEAR, f"{CARD_FACTS[dotted]}: look at what depends on this")

    def name(self, node: ast.Name, scope: Scope, offsets: Offsets) -> None:
        """Note a function that was imported by its name."""
        if any(dotted.endswith(f".{node.id}") for dotted in CARD_FACTS):
            self.function(node, scope.resolve(node) or "", offsets)

    def member(self, node: ast.Attribute, scope: Scope, offsets: Offsets) -> None:
        """Note `.major` or `.minor` of a card's properties."""
        if node.attr in CAPABILITY_PROPERTIES:
            value = node.value if isinstance(node.value, ast.Call) else scope.definition(node.value)
            if isinstance(value, ast.Call) and scope.resolve(value.func) == CARD_PROPERTIES:
                self.function(node, "torch.cuda.get_device_capability", offsets)

    def imported(self, node: ast.Import | ast.ImportFrom, offsets: Offsets) -> None:
        """Note such a function that gets another name, which no later line shows, and NVIDIA's own library."""
        module = getattr(node, "module", None)
        for alias in node.names:
            if alias.asname:
                self.function(node, f"{module}.{alias.name}", offsets)
        if "pynvml" in (module, *(alias.name for alias in node.names)):
            message = "pynvml knows NVIDIA's cards alone; pymtml is its counterpart"
            self.findings.note(offsets.start(node), UNCLEAR, message)
