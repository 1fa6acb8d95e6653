import json
import pathlib
import runpy
from collections import Counter

import torch
from torch_musa import _MUSAC

CPU = "CPU kernel of aten::"
found = runpy.run_path("profiler.py")
assert found["step"] == 10 and found["loss"].is_musa and torch.isfinite(found["loss"])
# skip_first + wait + warmup + active, and once more
assert sorted(path.name for path in pathlib.Path().glob("trace_*.json")) == ["trace_5.json", "trace_9.json"]
assert len(found["tables"]) == 2
assert "Input Shapes" in found["by_shape"] and "Source Location" in found["by_stack"], found["by_stack"]
shapes = [e.input_shapes for e in found["prof"].key_averages(group_by_input_shape=True) if e.key == "aten::conv2d"]
assert [[8, 3, 56, 56], [4, 3, 7, 7]] in [shape[:2] for shape in shapes], shapes
stacks = pathlib.Path("profiler_stacks.txt").read_text()
if not _MUSAC.profiles_device():
    assert {event.device_type.name for event in found["prof"].events()} == {"CPU"}
else:
    assert all("aten::convolution_backward" in text for text in found["tables"]), found["tables"]
    for path in ("trace_5.json", "trace_9.json"):
        events = json.loads(pathlib.Path(path).read_text())["traceEvents"]
        work = [e for e in events if e.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset")]
        names = Counter(e["name"] for e in work)
        # two active steps, each with two convolutions, a linear layer and a batch of pictures
        assert names[CPU + "convolution_backward_overrideable"] == 4 and names[CPU + "addmm"] == 2, names
        copies = [e["args"]["bytes"] for e in work if e["name"] == "Memcpy HtoD (Pageable -> Device)"]
        assert copies.count(8 * 3 * 56 * 56 * 4) == 2, copies
        steps = [e for e in events if e["name"].startswith("ProfilerStep#") and e["cat"] == "user_annotation"]
        assert len(steps) == 2, steps
        assert all(e["dur"] > 0 and e["pid"] == 0 for e in work)
    assert all("Self MUSA" in text for text in (*found["tables"], found["by_shape"], found["by_stack"]))
    assert sum(event.self_musa_time_total for event in found["prof"].key_averages()) > 0
    assert "profiler.py" in stacks
print("profiled")
