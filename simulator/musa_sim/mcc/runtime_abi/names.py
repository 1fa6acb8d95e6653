"""Names and layouts of runtime/base/device_abi.h that the passes need."""

from __future__ import annotations

#: The variable that threadIdx and the like read.
CONTEXT = "__musa_sim_context"
CONTEXT_SIZE = 96
#: An instruction that has its address.
CONTEXT_ADDRESS = f"call ptr @llvm.threadlocal.address.p0(ptr @{CONTEXT})"
DYNAMIC_SHARED_OFFSET = 64
WARP_SIZE_OFFSET = 72
LOCATION_OFFSET = 80
#: Offset of the word that says whether thread_idx is that of the thread that runs, and its values.
LOOP_THREAD_OFFSET = 12
THREAD_KEPT, BLOCK_PRINTED = 1, 2

_INDEX_OFFSETS = {"thread_idx": 0, "block_idx": 16, "block_dim": 32, "grid_dim": 48}
#: The functions that read threadIdx, blockIdx, blockDim and gridDim -> the offset of what they read, 32 bits each.
INDICES = {
    f"__musa_sim_{name}_{axis}": offset + 4 * at
    for name, offset in _INDEX_OFFSETS.items()
    for at, axis in enumerate("xyz")
}
#: threadIdx: which thread of the block it is.
THREAD_INDICES = tuple(INDICES)[:3]
#: The other three, the same for all threads of a block.
BLOCK_INDICES = tuple(INDICES)[3:]
#: All functions that read the context.
ACCESSORS = {**INDICES, "__musa_sim_warp_size": WARP_SIZE_OFFSET}

# Names that an image has for a kernel, before the kernel's own.
ENTRY_PREFIX = "__musa_sim_entry_"
LOOP_PREFIX = "__musa_sim_loop_"
ARGUMENT_SIZES_PREFIX = "__musa_sim_argument_sizes_"
LAUNCH_BOUNDS_PREFIX = "__musa_sim_launch_bounds_"
STATIC_SHARED_PREFIX = "__musa_sim_static_shared_"
SHARED_VARIABLES_PREFIX = "__musa_sim_shared_"
#: The table of an image's variables in global memory.
GLOBAL_VARIABLES = "__musa_sim_globals"

#: AccessFlags; a read of CARRY may find unwritten memory, since it only moves it.
READ, WRITE, ATOMIC, CARRY = 1, 2, 4, 8

#: The last character is a version of what images and libmusart share (device_abi.h); libmusart refuses later ones.
FAT_BINARY_MAGIC = b"MUSASIM3"

#: The section of __managed__ variables (include/host_defines.h).
MANAGED_SECTION = "__musa_sim_managed"
#: The annotation of __launch_bounds__ (include/host_defines.h).
LAUNCH_BOUNDS_ANNOTATION = "musa_sim_launch_bounds"
