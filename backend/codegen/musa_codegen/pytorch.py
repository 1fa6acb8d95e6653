"""PyTorch's own functions, as the torchgen that is installed reads them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Union

import torchgen
from torchgen.gen import get_grouped_native_functions, parse_native_yaml
from torchgen.model import BackendIndex, DispatchKey, NativeFunction, NativeFunctionsGroup

Group = Union[NativeFunctionsGroup, NativeFunction]


@dataclass(frozen=True)
class PyTorch:
    """PyTorch's functions.

    Attributes:
        functions: By name and overload, as ``add.Tensor``.
        groups: Functions that share a structured kernel, and single ones.
        kernels: The names of kernels, by dispatch key.
    """

    functions: dict[str, NativeFunction]
    groups: tuple[Group, ...]
    kernels: dict[DispatchKey, BackendIndex]

    @classmethod
    def installed(cls) -> PyTorch:
        """Return the functions of the PyTorch that is installed. Takes some four seconds."""
        folder = Path(torchgen.__file__).parent / "packaged" / "ATen" / "native"
        parsed = parse_native_yaml(str(folder / "native_functions.yaml"), str(folder / "tags.yaml"))
        return cls(
            {str(function.func.name): function for function in parsed.native_functions},
            tuple(get_grouped_native_functions(parsed.native_functions)),
            dict(parsed.backend_indices),
        )

    def kernel(self, key: DispatchKey, function: Group) -> str:
        """Return the name of the kernel that PyTorch has for a key, or nothing."""
        index = self.kernels.get(key)
        found = index.get_kernel(function) if index is not None else None
        return found.kernel if found is not None else ""
