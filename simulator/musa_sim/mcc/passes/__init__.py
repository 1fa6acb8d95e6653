"""The transformations of the device module, one per module. None runs a program.

They work in the terms of `ir`, which alone knows how LLVM writes its IR. `device_image` runs them in
this order, those that are indented as parts of the one above; each needs what the one before leaves.

pass                  leaves
launches              host and device modules that agree on how a launch passes arguments
  managed             and on who has the `__managed__` variables
relocatable           with -fgpu-rdc: modules that can be linked with those of other sources, and are one after it
prepare               the kernels, matched with their launch stubs; runtime functions marked that suspend a thread
  undefined           a result for everything that C++ leaves undefined, and no promises
  context             dynamic shared memory at the address in the context; threadIdx and the like stay opaque
atomic_accesses       copies of vector types as accesses that LLVM does not take apart
optimise              the module after LLVM's optimiser, functions that wait inlined
  waiting_loops       a call of the scheduler in every loop that waits for another thread
  atomic_accesses     plain accesses instead of atomic ones to shared memory
block_functions       a function for each kernel that needs no fibers, which runs a whole block: by one of two forms
  exits               a return for each call by which a kernel ends its thread
  suspend_points      split kernels: the blocks, split at every call at which a thread waits
  spilled_values      values marked that must be spilled and not rematerialised
  grid_stride         a suspend point on the back edges of grid-stride loops
  coroutines          the kernel as a coroutine, for LLVM to split
  split_coroutine     what LLVM made of it, taken apart: the frame's spill slots, a resume block per suspend point
  block_drivers       loops over the threads of a block around these, and a table for libmusart
  thread_body         plain loops: the kernel as the body of a loop over threads, and that loop
  grid_rows           the same without bounds check, and without grid-stride loops, for whole rows of threads
  thread_independence marks at the accesses that cannot depend on another thread's
complete              code that only has to be compiled
  instrument          a call of libmusart before every access, in checked builds (instrument_function, source_locations)
  check_tables        red zones, and the table of the variables
  context             the bodies of threadIdx and the like; an entry for each kernel; sizes of its arguments
"""
