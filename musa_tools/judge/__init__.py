"""Are two results equal? Pure functions of CPU tensors."""
