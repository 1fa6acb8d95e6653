"""Kernels: how a launch packs the arguments, and which values the device function takes."""

from __future__ import annotations

import enum
from typing import NamedTuple


class Passing(enum.Enum):
    """How one IR value of a kernel's signature is made from the launch's argument array."""

    VALUE = "load it"
    BOOL = "load a byte, truncate it"
    MEMORY = "pass the pointer itself"  # byval, or a class of unknown size that is not trivially copyable


class Argument(NamedTuple):
    """Where one value of the device function comes from."""

    parameter: int  # of C++, from 0
    offset: int  # bytes into it
    passing: Passing


class KernelStub(NamedTuple):
    """A kernel, as the host pass knows it."""

    name: str  # the device function's mangled name
    arguments: tuple[Argument, ...]  # one per value of the IR signature
    # the host IR type of each C++ parameter; empty if it is a class that is not trivially copyable, and no launch in
    # this file shows it
    parameter_types: tuple[str, ...] = ()
    # of each C++ parameter; negative: at least so much, and at most 8; 0: as for -1
    parameter_alignments: tuple[int, ...] = ()


class Kernel(NamedTuple):
    """A kernel as both passes see it."""

    stub: KernelStub
    parameter_types: tuple[str, ...]  # IR types of the device function
    parameter_attributes: tuple[str, ...]  # the attributes that decide the calling convention

    @property
    def name(self) -> str:
        """The device function's mangled name."""
        return self.stub.name
