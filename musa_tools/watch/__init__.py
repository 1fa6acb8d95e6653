"""The tools that watch a running program: CompareWithCPU, NanInfTracker and those for a single operator."""
