"""The tools that watch a running program: CompareWithCPU, NanInfTracker and their kin."""
