import torch

can = torch.musa.can_device_access_peer
assert can(0, 1) and can("musa:1", torch.device("musa:0")) and not can(0, 0)
for pair, said in (((0, 2), "Invalid peer device id: 2"), ((-1, 1), "Invalid device id: -1")):
    try:
        can(*pair)
    except AssertionError as error:
        assert str(error) == said
    else:
        raise SystemExit(f"{pair} is not refused")
