"""Make process groups of the backend `mccl`. The C++ part does the work, on libmccl."""

from __future__ import annotations

from typing import Any, Optional

import torch.distributed as dist

from torch_musa import _MUSAC


class ProcessGroupMCCL:
    """The names that scripts use. The process group itself is in C++."""

    class Options(_MUSAC._mccl.Options):
        """The options that `init_process_group(pg_options=)` and `split_group(pg_options=)` accept.

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


def check_options(options: Optional[object]) -> None:
    """Raise TypeError if `pg_options` are those of another backend."""
    if options is not None and not isinstance(options, _MUSAC._mccl.Options):
        raise TypeError(
            f"mccl: pg_options is a {type(options).__module__}.{type(options).__qualname__}, but must be a "
            "torch.distributed.ProcessGroupMCCL.Options"
        )


def create_process_group(given: dist.distributed_c10d._DistributedBackendOptions, options: Optional[object]) -> Any:
    """Make the process group of this rank. torch.distributed calls this function.

    Args:
        given: The store, the rank, the number of ranks and the timeout.
        options: The user's `pg_options`.

    Raises:
        DistBackendError: Ranks are missing after the timeout, or are on another machine.
        TypeError: The options are those of another backend.
    """
    check_options(options)
    return _MUSAC._mccl.process_group(given.store, given.group_rank, given.group_size, given.timeout)
