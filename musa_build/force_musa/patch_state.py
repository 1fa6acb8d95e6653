"""What `swap` did, kept on torch.utils.cpp_extension itself: our own BuildExtension is made from what stood there."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from .cuda_facade import Pretence

MARK = "__musa_build_swap__"


@dataclass(frozen=True)
class Swap:
    """What stands in torch.utils.cpp_extension now and stood there before."""

    tools: ModuleType
    originals: Mapping[str, Any]
    ours: Mapping[str, Any]
    pretence: Pretence

    @contextmanager
    def put_back(self) -> Iterator[Pretence]:
        """For the length of the block, PyTorch is as it was; the pretence ends for good."""
        self.pretence.end()
        with ExitStack() as changes:
            for name, original in self.originals.items():
                changes.callback(setattr, self.tools, name, getattr(self.tools, name))
                setattr(self.tools, name, original)
            yield self.pretence


def swapped() -> Swap:
    """What `swap` did in this process."""
    found = vars(sys.modules["torch.utils.cpp_extension"])[MARK]
    assert isinstance(found, Swap)
    return found
