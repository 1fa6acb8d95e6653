"""Make process groups of the backend `mccl`: the ranks meet, gloo connects them, and the C++ part does the rest."""

from __future__ import annotations

import os
from datetime import timedelta
from typing import Any, Optional

import torch.distributed as dist
from torch.distributed import PrefixStore, ProcessGroupGloo, Store

from torch_musa import _MUSAC

SHARE_DEVICES = "MUSA_SIM_MCCL_SHARE_DEVICES"
"""If this variable is 1, several ranks may use one device. NCCL refuses that, and so does mccl without it."""

LOOPBACK = "127.0.0.1"
INTERFACE = "GLOO_SOCKET_IFNAME"
"""The network interface that gloo is told to use, by a variable of PyTorch's."""


class ProcessGroupMCCL:
    """The names that scripts use. The process group itself is in C++."""

    class Options(_MUSAC._mccl.Options):
        """What `init_process_group(pg_options=)` and `split_group(pg_options=)` accept.

        Args:
            is_high_priority_stream: Has no effect.
        """

        def __init__(self, is_high_priority_stream: bool = False) -> None:
            super().__init__()
            self.is_high_priority_stream = is_high_priority_stream

        def __setattr__(self, name: str, value: object) -> None:
            """Refuse names that are no options: a wrong one would be lost."""
            if not hasattr(type(self), name):
                raise AttributeError(
                    f"mccl: ProcessGroupMCCL.Options has no option {name!r}, only is_high_priority_stream"
                )
            super().__setattr__(name, value)

        def __eq__(self, other: object) -> bool:
            same_type = isinstance(other, ProcessGroupMCCL.Options)
            return same_type and self.is_high_priority_stream == other.is_high_priority_stream

        def __deepcopy__(self, memo: object) -> ProcessGroupMCCL.Options:
            return ProcessGroupMCCL.Options(self.is_high_priority_stream)


def share_devices() -> bool:
    """Return whether several ranks may use one device.

    Raises:
        ValueError: The variable is neither yes nor no.
    """
    from musa_build.system.switch import is_on

    try:
        return is_on(os.environ.get(SHARE_DEVICES, ""))
    except ValueError as error:
        raise ValueError(f"mccl: {SHARE_DEVICES}: {error}") from None


def check_options(options: Optional[object]) -> None:
    """Raise TypeError if `pg_options` are those of another backend."""
    if options is not None and not isinstance(options, _MUSAC._mccl.Options):
        raise TypeError(
            f"mccl: pg_options is a {type(options).__module__}.{type(options).__qualname__}, but must be a "
            "torch.distributed.ProcessGroupMCCL.Options"
        )


def gloo_on(device: Any, store: Store, rank: int, size: int, timeout: timedelta) -> ProcessGroupGloo:
    """Connect the ranks by gloo. `device` is gloo's object for a network interface."""
    options = ProcessGroupGloo._Options()
    options._devices = [device]
    options._timeout = timeout
    return ProcessGroupGloo(store, rank, size, options)


def create_process_group(given: dist.distributed_c10d._DistributedBackendOptions, options: Optional[object]) -> Any:
    """Make the process group of this rank. torch.distributed calls this function.

    Args:
        given: The store, the rank, the number of ranks and the timeout.
        options: The user's `pg_options`.

    Raises:
        DistBackendError: Ranks are missing after the timeout, or there are more of them than devices.
        RuntimeError: This PyTorch was built without gloo.
        TypeError: The options are those of another backend.
    """
    check_options(options)
    if not dist.is_gloo_available():
        raise RuntimeError("mccl: needs gloo to move data, but this PyTorch was built without it")
    store, rank, size, timeout = given.store, given.group_rank, given.group_size, given.timeout
    peers = _MUSAC._mccl.meet(store, rank, size, timeout, share_devices())
    if peers.on_one_machine() and INTERFACE not in os.environ:
        device = ProcessGroupGloo.create_device(hostname=LOOPBACK)
    else:
        device = ProcessGroupGloo.create_default_device()
    gloo = gloo_on(device, PrefixStore("gloo/", store), rank, size, timeout)
    return _MUSAC._mccl.process_group(gloo, peers, timeout)
