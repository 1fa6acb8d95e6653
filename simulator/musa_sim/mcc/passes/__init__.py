"""The transformations of the device module, one per module. None runs a program.

They use the objects of `ir`; only that package knows LLVM's syntax. `device_image` runs them in this order.
An indented pass is a part of the one above it. Each pass needs what the one before it leaves.

pass                  leaves
launches              host and device modules that agree on how a launch passes arguments
  managed             and on which of them has the `__managed__` variables
relocatable           with -fgpu-rdc: modules ready for the link with those of other sources
prepare               the kernels, matched with their launch stubs; marks at the runtime functions that suspend a thread
  undefined           a result for everything that C++ leaves undefined, and no promises
  context             dynamic shared memory at the address in the context; threadIdx and the like stay opaque
atomic_accesses       accesses that LLVM does not take apart, in place of copies of vector types
optimise              the module after LLVM's optimiser; functions that wait are inlined
  waiting_loops       a call of the scheduler in every loop that waits for another thread
  lockstep            a meeting of the lanes before volatile accesses to shared memory, and before releases
  atomic_accesses     plain accesses instead of atomic ones to shared memory
block_functions       a function that runs a whole block, for each kernel that needs no fibers; two forms:
  exits               a return in place of each call that ends the thread
  suspend_points      split kernels: blocks that end at every call at which a thread waits
  spilled_values      marks at the values that LLVM must spill and not rematerialise
  grid_stride         a suspend point on the back edges of grid-stride loops
  coroutines          the kernel as a coroutine, for LLVM to split
  split_coroutine     the functions that LLVM made of it, read: the size of the frame, the code after each suspend point
  block_drivers       loops over the threads of a block around these, and a table for libmusart
  thread_body         plain loops: the kernel as the body of a loop over threads, and that loop
  grid_rows           the same without bounds check, and without grid-stride loops, for whole rows of threads
  thread_independence marks at the accesses that cannot depend on another thread's
complete              a module that LLVM only has to compile, in which each call at which a thread waits stays one call
  instrument          a call of libmusart before every access, in checked builds (instrument_function, source_locations)
  check_tables        red zones, and the table of the variables
  context             the bodies of threadIdx and the like; an entry for each kernel; sizes of its arguments
"""
