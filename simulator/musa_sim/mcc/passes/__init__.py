"""The transformations of the device module, one per module. None runs a program.

They use the objects of `ir`; only that package knows LLVM's syntax. Three files run them, each in the order of this
list. An indented pass is a part of the pass above it, and run by that one. tests/sim/mcc/test_pass_list.py holds the
list against the code.

compilation.py runs, for every source:
launches: needs both modules as clang wrote them; leaves them agreed on how a launch passes arguments
  managed: needs `__managed__` variables; leaves them in the host's memory, where both modules address them

relocatable/ runs, with -fgpu-rdc, for the modules of one source, and again for the linked ones:
relocatable: needs modules after launches; leaves names that those of other sources cannot clash with

device_image.py runs, for each image:
prepare: needs a module after launches; leaves its kernels known, and marks at the functions that suspend a thread
  undefined: needs clang's IR; leaves a result for everything that C++ leaves undefined, and no promises
  context: needs external shared memory; leaves its address in the context, threadIdx and the like opaque
atomic_accesses: needs accesses of vector types; leaves each of them whole: LLVM does not take it apart
optimise: needs a prepared module; leaves it optimised by LLVM, with functions that wait inlined
  waiting_loops: needs loops that wait for another thread; leaves a call of the scheduler in each
  lockstep: needs volatile accesses to shared memory, or fences; leaves a meeting of the lanes before each
  atomic_accesses: needs atomics of LLVM on shared memory; leaves plain accesses
block_functions: needs an optimised module; leaves a function that runs a whole block for each kernel without fibers
  exits: needs calls that end the thread; leaves a return in place of each
  coroutines: needs a kernel in which a thread waits; leaves it as a coroutine, for LLVM to split
    suspend_points: needs the calls at which a thread waits; leaves a basic block that ends at each
    grid_stride: needs a grid-stride loop; leaves a suspend point on its back edge
    spilled_values: needs values that are cheap to compute; leaves marks, so that LLVM spills them, and later slots
  block_drivers: needs the coroutine split by LLVM; leaves loops over the threads of a block, and libmusart's table
    split_coroutine: needs the functions that LLVM made; leaves the frame's size and the code after each suspend point
  thread_body: needs a kernel in which no thread waits; leaves it as the body of a plain loop over threads
  grid_rows: needs such a body; leaves one more for whole rows, without bounds check and grid-stride loop
  thread_independence: needs such a body; leaves marks at the accesses that cannot depend on another thread's
complete: needs opaque threadIdx and the like; leaves a module that LLVM only has to compile
  instrument: needs a checked build; leaves a call of libmusart before every access
    instrument_function: needs one function; leaves the calls in it
    source_locations: needs debug info; leaves the texts of a report
    check_tables: needs the variables; leaves red zones around them, and their table
  context: needs the kernels; leaves the bodies of threadIdx and the like, an entry and argument sizes for each kernel
"""
