import torch

assert torch.musa.device_count() == 4, torch.musa.device_count()
assert (torch.ones(2, device="musa:3") + 1).tolist() == [2, 2]
try:
    torch.ones(2, device="musa:4")
    raise AssertionError("a device that is not visible")
except RuntimeError as error:
    assert "4" in str(error), error
try:
    torch.ones(2, device="musa") + torch.ones(3, device="musa")
    raise AssertionError("sizes that do not match")
except RuntimeError as error:
    assert "C++ CapturedTraceback" in str(error), error
