"""pytorch-fast-transformers on `musa` against its own code on the CPU."""

from __future__ import annotations

import torch
from comparing import on_both, run_all
from fast_transformers.aggregate import aggregate, broadcast
from fast_transformers.causal_product import causal_dot_product
from fast_transformers.hashing import compute_hashes
from fast_transformers.local_product import local_dot_product, local_weighted_average
from fast_transformers.sparse_product import sparse_dot_product, sparse_weighted_average


def check_hashing() -> None:
    for queries, bits, size in ((1, 1, 1), (100, 8, 32), (777, 62, 17)):
        on_both(compute_hashes, [torch.randn(queries, size), torch.randn(bits, size + 1)])


def check_aggregate_and_broadcast() -> None:
    for length, clusters, size in ((40, 4, 16), (333, 10, 65)):
        groups = torch.randint(0, clusters, (2, 3, length), dtype=torch.int32)
        factors = torch.rand(2, 3, clusters)
        on_both(aggregate, [torch.randn(2, 3, length, size), groups, factors], rtol=1e-4, atol=1e-4)
        on_both(broadcast, [torch.randn(2, 3, clusters, size), groups, factors])


def check_sparse_product() -> None:
    for length, size, chosen in ((30, 16, 5), (129, 32, 32)):
        queries, keys = (torch.randn(2, 3, length, size, requires_grad=True) for _ in range(2))
        top = torch.randint(0, length, (2, 3, length, chosen))
        on_both(sparse_dot_product, [queries, keys, top], rtol=1e-4, atol=1e-4)
        shares = torch.rand(2, 3, length, chosen, requires_grad=True)
        on_both(sparse_weighted_average, [shares, queries, top], rtol=1e-4, atol=1e-4)


def check_causal_product() -> None:
    """Sizes that take each of the three kernels: low occupancy, one head per block, and the general one."""
    for heads, length, size, width in ((2, 20, 16, 16), (8, 33, 32, 32), (3, 50, 64, 64), (2, 25, 70, 41)):
        queries, keys = (torch.rand(2, heads, length, size, requires_grad=True) for _ in range(2))
        values = torch.rand(2, heads, length, width, requires_grad=True)
        on_both(causal_dot_product, [queries, keys, values], rtol=1e-3, atol=1e-3)


def check_local_product() -> None:
    """Not the gradient of the keys: 0.4.0's CUDA code takes the neighbours' weights in the wrong order there."""
    for length, size, context in ((20, 16, 4), (100, 33, 12)):
        queries, values = (torch.randn(2, 3, length, size, requires_grad=True) for _ in range(2))
        mask, lengths = torch.zeros(length, length), torch.full((2,), length, dtype=torch.int64)

        def product(
            q: torch.Tensor, k: torch.Tensor, m: torch.Tensor, n: torch.Tensor, c: int = context
        ) -> torch.Tensor:
            return local_dot_product(q, k, m, n, c)

        on_both(product, [queries, torch.randn(2, 3, length, size), mask, lengths], rtol=1e-4, atol=1e-4)
        shares = torch.rand(2, 3, length, context, requires_grad=True)
        on_both(local_weighted_average, [shares, values], rtol=1e-4, atol=1e-4)


if __name__ == "__main__":
    run_all()
