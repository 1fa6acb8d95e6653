"""Nests of tensors: visit, copy to the CPU with shared storage kept, describe."""
