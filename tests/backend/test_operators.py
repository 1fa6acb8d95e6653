"""PyTorch's operators on musa tensors, against the same operators on the CPU, in any environment.

tests/kernels compares more, where the kernel library is installed.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from .comparison import assert_same_on_musa

FLOATS = [torch.float32, torch.float64, torch.float16, torch.bfloat16]
SIZES = [(0,), (1,), (7,), (33, 5), (2, 3, 4)]


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("size", SIZES)
def test_arithmetic(dtype: torch.dtype, size: tuple[int, ...]) -> None:
    left, right = torch.randn(size).to(dtype), torch.randn(size).to(dtype)
    assert_same_on_musa(lambda x, y: (x + y * 2 - 1) / (y.abs() + 1), left, right)


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64])
def test_integers(dtype: torch.dtype) -> None:
    numbers = torch.randint(0, 100, (13,)).to(dtype)
    assert_same_on_musa(lambda x: (x // 3, x % 7, x << 1, x & 5, x > 9, x.sum(), x.to(torch.float32)), numbers)


def test_complex_and_bool() -> None:
    numbers = torch.randn(6, dtype=torch.complex64)
    assert_same_on_musa(
        lambda x: (x.abs(), x.conj() * 2, x.real, torch.view_as_real(x), x.conj().resolve_conj()), numbers
    )
    assert_same_on_musa(lambda x: (x.logical_not(), x.any(), x.all(), x.sum()), numbers.real > 0)


OPERATORS: dict[str, Callable[..., object]] = {
    "reductions": lambda x: (x.sum(), x.mean(0), x.amax(1), x.std(), x.norm(), x.argmax(1), x.logsumexp(0)),
    "sort": lambda x: (x.sort(1), x.topk(3), x.median(), x.kthvalue(2), x.cumsum(0)),
    "select": lambda x: (x[x > 0], x.nonzero(), torch.unique(x), torch.where(x > 0, x, -x), x.masked_fill(x > 0, 2)),
    "lists": lambda x: (
        x.split(2),
        x.unbind(0),
        torch.cat([x, x]),
        torch.stack([x, x], 1),
        torch.meshgrid(x[0], x[1], indexing="ij"),
    ),
    "layout": lambda x: (x.t().contiguous(), x.flip(0), x.roll(1, 0), x.repeat(2, 2), x.expand(2, 6, 6), x.tril()),
    "unfold": lambda x: (x.unfold(0, 3, 2), x.diagonal(), x.as_strided((2, 2), (1, 2)), x.movedim(0, 1)),
    "linear algebra": lambda x: (
        x @ x,
        torch.linalg.solve(x, x[0]),
        torch.linalg.svdvals(x),
        torch.einsum("ij,jk->k", x, x),
    ),
    "numbers of Python": lambda x: (x.sum().item(), x.tolist(), bool((x > x.mean()).any()), x[0, 0].item()),
    "histogram": lambda x: (
        x.histc(4, -2, 2),
        torch.bucketize(x, x[0].sort()[0]),
        torch.bincount((x > 0).long().flatten()),
    ),
    "scatter": lambda x: (
        torch.zeros_like(x).scatter_add_(0, (x > 0).long(), x),
        x.gather(1, x.argsort(1)),
        x.index_select(0, torch.tensor([1, 0, 1], device=x.device)),
        x.index_add(0, torch.tensor([1, 0], device=x.device), x[:2]),
    ),
    "factories": lambda x: (
        torch.arange(5, device=x.device),
        torch.eye(3, device=x.device),
        torch.linspace(0, 1, 5, device=x.device),
        torch.tril_indices(3, 3, device=x.device),
        torch.full((2, 2), 7.5, device=x.device),
        x.new_zeros(3),
        torch.tensor([1.2, 2.3], device=x.device),
    ),
    "foreach": lambda x: (torch._foreach_add([x, x[0]], 1.5), torch._foreach_norm([x, x[0]])),
    "pad": lambda x: (
        torch.nn.functional.pad(x[None], (1, 2), mode="reflect"),
        torch.nn.functional.interpolate(x[None, None], scale_factor=2.0, mode="bilinear"),
        torch.nn.functional.grid_sample(x[None, None], x[:4, :4].reshape(1, 2, 4, 2), align_corners=False),
    ),
    "attention": lambda x: torch.nn.functional.scaled_dot_product_attention(x[None], x[None], x[None], is_causal=True),
    "kernels that PyTorch would replace": lambda x: (
        torch.nn.functional.layer_norm(x.half(), (6,)),
        torch.nn.functional.group_norm(x.half()[None], 3),
        torch.addr(x.half(), x[0].half(), x[1].half()),
    ),
    "fft": lambda x: (torch.fft.fft(x), torch.fft.irfft(torch.fft.rfft(x))),
}


@pytest.mark.parametrize("name", OPERATORS)
def test_operator(name: str) -> None:
    """Computed by a kernel of the library where it is installed, and else by PyTorch's, which counts that."""
    torch.musa.reset_fallback_report()
    assert_same_on_musa(OPERATORS[name], torch.randn(6, 6))
    report = torch.musa.fallback_report()
    assert report.calls or report.declared or "native" in torch.musa.operator_kinds().values()


def test_in_place_through_views() -> None:
    def run(x: torch.Tensor) -> torch.Tensor:
        x[1] = 3
        x[:, 2] += 1
        x.t()[0].mul_(2)
        x[x > 2] = -1
        x.view(5, 4)[0].copy_(torch.arange(4))
        return x

    assert_same_on_musa(run, torch.randn(4, 5))


def test_views_share_memory() -> None:
    x = torch.zeros(4, 6, device="musa")
    views = [x[1:], x.t(), x.view(24), x.unfold(1, 2, 2), torch.view_as_complex(x.view(4, 3, 2))]
    for view in views:
        assert view.untyped_storage().data_ptr() == x.untyped_storage().data_ptr()
        assert view._base is x
    assert x.view(torch.int32).untyped_storage().data_ptr() == x.untyped_storage().data_ptr()
    torch.view_as_real(views[-1]).fill_(5)
    assert (x.cpu() == 5).all()


def test_in_place_returns_the_same_object() -> None:
    x = torch.randn(3, device="musa")
    assert x.add_(1) is x
    assert torch.add(x, 1, out=x) is x


@pytest.mark.parametrize("size", [(0,), (5,), (2, 2)])
def test_out_is_resized(size: tuple[int, ...]) -> None:
    out = torch.empty(size, device="musa")
    if out.numel():  # PyTorch warns when a tensor that holds elements is resized
        with pytest.warns(UserWarning, match="resized"):
            torch.add(torch.ones(3, 4, device="musa"), 1, out=out)
    else:
        torch.add(torch.ones(3, 4, device="musa"), 1, out=out)
    assert out.shape == (3, 4) and out.is_musa
    assert (out.cpu() == 2).all()
    assert torch.musa.memory_allocated() >= out.nbytes


def test_resize_keeps_elements() -> None:
    x = torch.arange(4.0, device="musa")
    x.resize_(2, 4)
    assert x.flatten()[:4].tolist() == [0, 1, 2, 3]
    x.set_()
    assert x.numel() == 0 and x.is_musa


@pytest.mark.parametrize("target", [*FLOATS, torch.int32, torch.bool, torch.complex64])
def test_copy_converts(target: torch.dtype) -> None:
    x = torch.randn(5, 4)
    assert_same_on_musa(lambda x: x.t().to(target), x)
    assert torch.equal(x.to("musa", target).cpu(), x.to(target))
    assert torch.equal(x.musa().to("cpu", target), x.to(target))


def test_copy_broadcasts_and_keeps_strides() -> None:
    assert_same_on_musa(lambda x: torch.zeros(3, 4, device=x.device).copy_(x), torch.randn(4))
    x = torch.randn(2, 3, 4, 5).contiguous(memory_format=torch.channels_last)
    moved = x.musa()
    assert moved.stride() == x.stride() and torch.equal(moved.cpu(), x)
    assert torch.equal(x.conj().musa().cpu(), x.conj())
    half = torch.randn(8)[::2]
    assert torch.equal(half.musa().cpu(), half)


def test_kernel_may_leave_a_conjugate_result() -> None:
    """The CPU kernel of lu_solve answers from the left with the conjugate bit of its output."""
    matrix = torch.randn(3, 3, dtype=torch.complex64)
    right = torch.randn(4, 3, dtype=torch.complex64)
    assert_same_on_musa(lambda a, b: torch.linalg.lu_solve(*torch.linalg.lu_factor(a), b, left=False), matrix, right)


def test_zeros_without_memory() -> None:
    assert_same_on_musa(lambda x: torch.sgn(x), torch.randn(4, requires_grad=True))
    assert torch._efficientzerotensor(3, device="musa").tolist() == [0, 0, 0]


def test_overlapping_write_is_refused_as_on_cpu() -> None:
    x = torch.zeros(1, device="musa").expand(4)
    with pytest.raises(RuntimeError, match="single memory location"):
        x.add_(1)


def test_number_like_cpu_tensor_may_join() -> None:
    x = torch.ones(3, device="musa") * torch.tensor(2.0)
    assert x.is_musa and x.dtype == torch.float32 and x.tolist() == [2, 2, 2]
    assert (torch.ones(2, dtype=torch.int32, device="musa") * torch.tensor(2.5)).dtype == torch.float32


@pytest.mark.parametrize("run", [lambda x, y: x + y, lambda x, y: torch.cat([x, y]), lambda x, y: x.mul_(y)])
def test_operands_on_different_devices_are_refused(run: Callable[..., torch.Tensor]) -> None:
    with pytest.raises(RuntimeError, match=r"Expected all tensors to be on the same device.*musa:0.*cpu"):
        run(torch.ones(3, device="musa"), torch.ones(3))


def test_indices_may_be_on_the_host() -> None:
    x = torch.randn(5, device="musa")
    chosen = torch.tensor([3, 1])
    assert torch.equal(x[chosen].cpu(), x.cpu()[chosen])
    x[chosen] = 0.0
    assert x.cpu()[chosen].tolist() == [0, 0]


def test_an_operator_of_another_library_has_no_cpu_fallback() -> None:
    """An operator registered for the CPU only fails on the hardware, so it must fail here."""
    library = torch.library.Library("musa_backend_test", "DEF")
    library.define("twice(Tensor x) -> Tensor")
    library.impl("twice", lambda x: x * 2, "CPU")
    assert torch.ops.musa_backend_test.twice(torch.ones(1)).item() == 2
    with pytest.raises(NotImplementedError, match=r"musa_backend_test::twice.*musa"):
        torch.ops.musa_backend_test.twice(torch.ones(1, device="musa"))
    library.impl("twice", lambda x: x * 2, "PrivateUse1")
    assert torch.ops.musa_backend_test.twice(torch.ones(1, device="musa")).item() == 2


def test_unsupported_layouts_say_so() -> None:
    with pytest.raises(NotImplementedError, match="Mkldnn"):
        torch.eye(3, device="musa").to_mkldnn()


def test_numpy_needs_the_cpu() -> None:
    with pytest.raises(TypeError, match="cpu"):
        torch.ones(1, device="musa").numpy()
    assert torch.ones(2, device="musa").cpu().numpy().tolist() == [1, 1]


def test_printing() -> None:
    assert "device='musa:0'" in repr(torch.ones(2, device="musa"))
    assert repr(torch.ones(2, 2, device="musa", dtype=torch.half)).startswith("tensor([[1., 1.]")
