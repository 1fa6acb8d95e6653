"""The tools under the names of others: msprobe, ptdbg_ascend, torch_npu.hooks. Nothing but names and parameters."""
