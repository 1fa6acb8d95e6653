"""Each device has a process of its own in the profiler's trace."""

import json
from pathlib import Path

import torch
from torch.profiler import ProfilerActivity, profile

x, y = (torch.ones(1000, device=f"musa:{index}") for index in range(2))
with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.MUSA]) as profiler:
    x.neg(), y.neg(), y.to("musa:0")
    torch.musa.synchronize(1)
profiler.export_chrome_trace("trace.json")
trace = json.loads(Path("trace.json").read_text())
rows = [(e["name"], e["pid"]) for e in trace["traceEvents"] if e.get("cat") in ("kernel", "gpu_memcpy")]
neg = "CPU kernel of aten::neg"
assert rows == [(neg, 0), (neg, 1), ("Memcpy PtoP (Device -> Device)", rows[-1][1])], rows
labels = {e["pid"]: e["args"]["labels"] for e in trace["traceEvents"] if e["name"] == "process_labels"}
assert labels[0] == "musa:0" and labels[1] == "musa:1", labels
assert trace["musa_unfinished_activities"] == 0
assert [e.device_index for e in profiler.events() if e.name == "CPU kernel of aten::neg"] == [0, 1]
