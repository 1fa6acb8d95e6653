import torch

print(torch.musa._exchange_device(1), torch.musa.current_device(), torch.musa._maybe_exchange_device(0))
print(torch.musa._exchange_device(-1), torch.musa._maybe_exchange_device(-5), torch.musa.current_device())
with torch.musa._DeviceGuard(1):
    print(torch.musa.current_device(), end=" ")
    with torch.musa._DeviceGuard(-1):
        print(torch.musa.current_device(), end=" ")
    with torch.musa.device_of(torch.ones(1, device="musa:0")), torch.musa.device_of(torch.ones(1)):
        print(torch.musa.current_device(), end=" ")
print(torch.musa.current_device())
