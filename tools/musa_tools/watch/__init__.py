"""The tools that watch a running program: CompareWithCPU, NanInfTracker, and tools for a single operator."""
