"""The table of PyTorch's kernel files, pytorch_kernels.toml: which are used, and what each replaces."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from ..environment.settings import parse_toml

FILE = Path(__file__).with_name("pytorch_kernels.toml")
_REGISTRATION = re.compile(r"^[ \t]*REGISTER(?:_CUDA)?_DISPATCH\(\s*(\w+)\s*,", re.MULTILINE)


@dataclass(frozen=True)
class KernelEntry:
    """One kernel file of PyTorch.

    Attributes:
        stubs: The DispatchStubs that it registers kernels in, and the source of torch_musa whose kernel gives way;
            empty where torch_musa has none.
        torch: The versions of PyTorch for which the row holds.
        unused: Why the file is not used; empty if it is.
    """

    stubs: Mapping[str, str]
    torch: str = ""
    unused: str = ""

    @property
    def replaces(self) -> tuple[str, ...]:
        """The sources of torch_musa whose kernels give way."""
        return tuple(dict.fromkeys(source for source in self.stubs.values() if source))

    def holds_for(self, torch_version: str) -> bool:
        return SpecifierSet(self.torch).contains(Version(torch_version).base_version)


@cache
def table() -> Mapping[str, KernelEntry]:
    """Return the rows by the names of the files, without `.cu`."""
    entries = parse_toml(FILE.read_text(encoding="utf-8"), str(FILE))
    return {name: KernelEntry(**entry) for name, entry in entries.items()}


def registered_stubs(text: str) -> tuple[str, ...]:
    """Return the stubs that a kernel file of PyTorch registers kernels in."""
    return tuple(dict.fromkeys(_REGISTRATION.findall(text)))


def entry_for(kernel: str, text: str, torch_version: str) -> KernelEntry:
    """Return the use of a kernel file with this text: from the table, else from the text itself."""
    known = table().get(kernel)
    if known is not None and not known.holds_for(torch_version):
        known = None
    own = known.stubs if known else {}
    stubs = {stub: own.get(stub, "") for stub in registered_stubs(text)}
    if known is not None:
        return KernelEntry(stubs, known.torch, known.unused)
    return KernelEntry(
        stubs, unused="" if stubs else "it registers no kernel in a DispatchStub, so nothing would call it"
    )
