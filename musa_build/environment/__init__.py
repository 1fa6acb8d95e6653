"""What a build finds on this machine: settings, the MUSA SDK, architectures, PyTorch, how many jobs fit."""
