import torch

memory = torch.musa.memory
memory._record_memory_history()
tensors = [torch.empty(8, device=f"musa:{index}") for index in (0, 1)]
for index in (0, 1):
    snapshot = memory._snapshot(index)
    assert {segment["device"] for segment in snapshot["segments"]} == {index}
    assert [bool(trace) for trace in snapshot["device_traces"]] == [index == 0, index == 1]
