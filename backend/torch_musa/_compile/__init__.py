"""torch.compile on musa: what PyTorch's Dynamo and Inductor need to know about the device, once a program uses them."""
