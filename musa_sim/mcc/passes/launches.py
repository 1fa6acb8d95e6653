"""Make host and device modules agree: how launches pass arguments, and which variables both have."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from ..host.stubs import read_kernels
from ..kernel import KernelStub
from . import managed
from .find_kernels import copy_classes
from .type_sizes import type_sizes


class Modules(NamedTuple):
    """The modules of one source."""

    host: str
    device: Mapping[str, str]  # by architecture
    stubs: tuple[KernelStub, ...]
    sizes: Mapping[str, int]  # bytes of the types of parameters


def reconcile(host: str, device: Mapping[str, str], fold: Callable[[str], str], *, with_host: bool) -> Modules:
    """Make the modules of a source fit each other.

    `fold` evaluates constant expressions in a module. `with_host` is False if only an image is wanted.
    """
    stubs = read_kernels(host)
    sizes = type_sizes(host, [kind for stub in stubs for kind in stub.parameter_types if kind], fold)
    copied = {arch: copy_classes(module, stubs) for arch, module in device.items()}
    host, shared = managed.share(host, copied, with_host=with_host)
    return Modules(host, shared, stubs, sizes)
