"""The host module: read how launches pass arguments, and embed the device images."""
