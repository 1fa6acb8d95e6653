"""flash-attn on `musa` against attention in double precision, by the rule of its own tests.

Its error may be twice that of PyTorch's attention in the same type, and three times for gradients. The build has heads
of 64 elements in float16 (BUILD_VARIABLES in forced.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product

import torch
from comparing import run_all
from flash_attn import flash_attn_func, flash_attn_varlen_func

Attention = Callable[..., torch.Tensor]

DTYPE = torch.float16
ANY = (-1, -1)


def attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool, window: tuple[int, int]) -> torch.Tensor:
    """Attention of tensors (batch, length, heads, elements); positions are counted from the end, as flash-attn does."""
    rows, columns = q.shape[1], k.shape[1]
    far = rows + columns
    k, v = (each.repeat_interleave(q.shape[2] // each.shape[2], dim=2) for each in (k, v))
    scores = torch.einsum("bthd,bshd->bhts", q, k / k.shape[-1] ** 0.5)
    distance = torch.arange(columns) - torch.arange(rows)[:, None] - (columns - rows)
    left, right = (each if each >= 0 else far for each in window)
    is_hidden = (distance > (0 if causal else right)) | (distance < -left)
    scores = scores.masked_fill(is_hidden, float("-inf"))
    shares = torch.softmax(scores, dim=-1).masked_fill(is_hidden.all(dim=1)[:, None], 0)
    return torch.einsum("bhts,bshd->bthd", shares, v)


def random(*shapes: tuple[int, ...]) -> list[torch.Tensor]:
    return [torch.randn(shape).to(DTYPE) for shape in shapes]


def results_and_gradients(
    function: Attention, inputs: Sequence[torch.Tensor], gradient: torch.Tensor
) -> list[torch.Tensor]:
    inputs = [each.detach().requires_grad_() for each in inputs]
    result = function(*inputs)
    return [result.detach(), *torch.autograd.grad(result, inputs, gradient)]


def compare(on_musa: Attention, reference: Attention, inputs: Sequence[torch.Tensor]) -> None:
    """Compare what flash-attn gives on `musa` with the reference on the CPU, which also says what error is usual."""
    gradient = torch.randn(inputs[0].shape).to(DTYPE)
    got = results_and_gradients(on_musa, [each.musa() for each in inputs], gradient.musa())
    usual = results_and_gradients(reference, inputs, gradient)
    exact = results_and_gradients(reference, [each.double() for each in inputs], gradient.double())
    for name, mine, theirs, right in zip(("result", "dq", "dk", "dv"), got, usual, exact):
        assert mine.device.type == "musa" and mine.dtype == DTYPE
        limit = (2 if name == "result" else 3) * float((theirs.double() - right).abs().max()) + 1e-5
        error = float((mine.cpu().double() - right).abs().max())
        assert error <= limit, f"{name}: {error} > {limit}"


def check_attention() -> None:
    """Lengths that fill the tiles of 128 and lengths that do not, fewer heads of keys, smaller heads, windows."""
    cases = [
        ((1, 128, 2, 64), (128, 2), ANY),
        ((2, 113, 2, 64), (203, 2), ANY),
        ((1, 130, 4, 64), (130, 2), ANY),
        ((1, 100, 3, 40), (60, 1), ANY),
        ((1, 160, 2, 64), (160, 2), (33, 20)),
        ((1, 70, 2, 64), (150, 1), (64, 0)),
    ]
    for (shape, (length, heads), window), causal in product(cases, (False, True)):
        if causal and window != ANY:
            continue
        batch, _, _, elements = shape
        keys = (batch, length, heads, elements)
        compare(
            lambda q, k, v, causal=causal, window=window: flash_attn_func(q, k, v, causal=causal, window_size=window),
            lambda q, k, v, causal=causal, window=window: attention(q, k, v, causal, window),
            random(shape, keys, keys),
        )


def check_sequences_of_different_lengths() -> None:
    rows, columns = [70, 1, 128], [90, 64, 128]
    starts_q, starts_k = (torch.tensor([0, *each]).cumsum(0).to(torch.int32) for each in (rows, columns))

    def each_alone(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool) -> torch.Tensor:
        parts = zip(q.split(rows), k.split(columns), v.split(columns))
        return torch.cat([attention(*(each[None] for each in part), causal, ANY)[0] for part in parts])

    for causal in (False, True):
        compare(
            lambda q, k, v, causal=causal: flash_attn_varlen_func(
                q, k, v, starts_q.musa(), starts_k.musa(), max(rows), max(columns), causal=causal
            ),
            lambda q, k, v, causal=causal: each_alone(q, k, v, causal),
            random((sum(rows), 4, 64), (sum(columns), 2, 64), (sum(columns), 2, 64)),
        )


def check_what_was_not_built() -> None:
    """Sources that are not built raise, also where flash-attn would only write to tensors."""
    for dtype, elements in ((torch.bfloat16, 64), (torch.float16, 128)):
        q = torch.zeros(1, 16, 1, elements, dtype=dtype).musa()
        try:
            flash_attn_func(q, q, q)
        except RuntimeError as error:
            assert "is not available: its source is excluded from this build" in str(error), error
        else:
            raise AssertionError(f"{dtype} with {elements} elements was computed")


if __name__ == "__main__":
    run_all()
