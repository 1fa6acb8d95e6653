"""Where tensors are loaded to."""

import io

import torch


def device(location, saved="musa:1"):
    file = io.BytesIO()
    torch.save(torch.arange(3.0, device=saved), file)
    file.seek(0)
    loaded = torch.load(file, map_location=location)
    assert loaded.tolist() == [0, 1, 2]
    return str(loaded.device)


print(device(None), device("musa"), device("musa:0"), device("cpu"), device({"musa:1": "musa:0"}), end=" ")
print(device("musa", "cpu"))
with torch.musa.device(1):
    print(device("musa"), device(torch.device("musa"), "cpu"))
try:
    device("musa:2")
except RuntimeError as error:
    print("device_count() is 2" in str(error))
