"""Split kernels: the layouts that they share with libmusart (runtime/base/device_abi.h)."""

from __future__ import annotations

import enum
from typing import NamedTuple

#: Offsets in WarpMailbox: threads store operands at a suspend point and load results.
POINTS, VALUES, RESULTS, MASKS, ARGUMENTS, WIDTHS = 0, 1088, 9344, 17600, 21760, 25920
#: The most threads of a block.
MAX_THREADS = 1024
#: Stored as the number of the suspend point by a thread that has exited.
EXITED = 0
#: Suspend points of a kernel have numbers from 1, which fit in a byte.
MAX_SUSPEND_POINTS = 250
#: As a width, that of the warp. No program gives it by mistake.
WARP_WIDTH = -(2**31)


class SuspendOperation(enum.IntEnum):
    """The operation that a thread waits for; STEP: none, it has made one step of a grid-stride loop."""

    BARRIER = 0
    BARRIER_COUNT = 1
    BARRIER_ALL = 2
    BARRIER_ANY = 3
    STEP = 4
    SYNC = 5
    GROUP_SYNC = 6
    SHUFFLE = 7
    BALLOT = 8
    VOTE_ALL = 9
    VOTE_ANY = 10
    MATCH_ANY = 11
    MATCH_ALL = 12
    CONVERGE = 13
    TOGETHER = 14

    @property
    def is_of_warp(self) -> bool:
        """Whether lanes of a warp wait for each other."""
        return self >= SuspendOperation.SYNC

    @property
    def reduces(self) -> bool:
        """Whether it is a barrier of the block with a result."""
        return SuspendOperation.BARRIER < self < SuspendOperation.STEP


class Varies(enum.IntFlag):
    """The operands that each thread stores in the mailbox."""

    NONE = 0
    MASK = 1
    ARGUMENT = 2
    WIDTH = 4


class SuspendPoint(NamedTuple):
    """A suspend point: the operands known at compile time."""

    operation: SuspendOperation
    kind: int = 0  # of a shuffle
    varies: Varies = Varies.NONE
    own_lanes: bool = False  # between 32 lanes, however wide a warp is
    mask: int = 0
    argument: int = 0
    width: int = WARP_WIDTH

    @property
    def constant(self) -> str:
        """The structure SuspendPoint in IR."""
        return (
            f"{SUSPEND_POINT_TYPE} {{ i8 {int(self.operation)}, i8 {self.kind}, i8 {int(self.varies)}, "
            f"i8 {int(self.own_lanes)}, i32 {self.mask}, i32 {self.argument}, i32 {self.width} }}"
        )


#: SuspendPoint and SplitKernel in IR.
SUSPEND_POINT_TYPE = "{ i8, i8, i8, i8, i32, i32, i32 }"
SPLIT_KERNEL_TYPE = "{ i64, i32, i32, i8, i8, i8, [5 x i8], ptr, ptr, ptr, ptr, ptr }"
