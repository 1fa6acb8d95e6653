"""torch.compile on musa: what PyTorch's Dynamo and Inductor are told about the device, once a program uses them."""
