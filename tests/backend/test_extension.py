"""torch_musa's C++ interface, from a small extension that is compiled here as users compile theirs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from .conftest import PROGRAMS, RunPython


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("size", [0, 1, 257, 100_003])
def test_kernel_on_torch_tensors(probe: Any, dtype: torch.dtype, size: int) -> None:
    x = torch.randn(size, device="musa").to(dtype)
    y = torch.empty_like(x)
    with torch.musa.stream(torch.musa.Stream()):
        probe.launch_scale(x, y, 2.5)
        torch.musa.current_stream().synchronize()
    wanted = torch.from_numpy(x.float().cpu().numpy() * np.float32(2.5)).to(dtype)
    assert torch.equal(y.cpu(), wanted)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float16, torch.bfloat16, torch.complex64])
def test_accessors_of_strided_tensors(probe: Any, dtype: torch.dtype) -> None:
    x = torch.randint(-8, 8, (70, 9)).to(dtype)
    y = torch.zeros(140, dtype=dtype, device="musa")[::2]
    probe.launch_row_sum(x.t().musa().t(), y)
    assert torch.equal(y.cpu(), x.sum(1))


def test_host_interface(probe: Any) -> None:
    assert probe.check_streams() == ""
    properties = torch.musa.get_device_properties()
    count, warp, arch, major, available, kind = probe.facts()
    assert (count, warp, major, available) == (
        torch.musa.device_count(),
        properties.warp_size,
        properties.major,
        1,
    )
    assert arch == properties.major * 100 + properties.minor * 10
    assert kind == 20  # c10::DeviceType::PrivateUse1


def test_pools_by_the_names_of_pytorchs_allocator(probe: Any) -> None:
    assert probe.check_pools() == ""


@pytest.mark.skipif(torch.__version__ < (2, 8), reason="at::HostAllocator, which counts it, is new in PyTorch 2.8")
def test_pinned_memory_is_counted(probe: Any) -> None:
    pinned = torch.ones(100).pin_memory()
    before, peak, allocations, frees, known = probe.host_memory(pinned, True)
    assert before == peak >= 400 and (allocations, frees, known) == (0, 0, 1)
    more = torch.ones(50).pin_memory()
    assert probe.host_memory(torch.ones(1), False) == [before + 200, before + 200, 1, 0, 0]
    del more
    assert probe.host_memory(pinned, False) == [before, before + 200, 1, 1, 1]


BLOCK_SUM = PROGRAMS / "block_sums.py"


@pytest.mark.parametrize("lanes", [32, 128])
def test_shared_memory_sized_by_the_warp_suffices(run_python: RunPython, probe_library: Path, lanes: int) -> None:
    """Host and device code agree on a warp's width; C10_WARP_SIZE is a constant, as in PyTorch."""
    done = run_python(BLOCK_SUM, str(probe_library), MUSA_SIM_WARP=str(lanes))
    assert done.stdout == f"523776 0 523776 0 {lanes} 32\n", done.stderr


@pytest.mark.parametrize("lanes", [32, 128])
def test_kernels_of_pytorch_agree_whatever_a_warp_is(run_python: RunPython, probe_library: Path, lanes: int) -> None:
    """The launch and the kernel use one number: the constant, not the host's answer."""
    done = run_python(PROGRAMS / "kernels_of_pytorch.py", str(probe_library), MUSA_SIM_WARP=str(lanes))
    assert (done.returncode, done.stdout) == (0, "72\n"), done.stderr


def test_guard_changes_the_device(run_python: RunPython, probe_library: Path) -> None:
    code = PROGRAMS / "guarded_devices.py"
    assert run_python(code, str(probe_library), MUSA_SIM_DEVICES="2").stdout == "1 0\n0 0\n900.0 0\n"


def test_refused_call_is_an_error_and_then_forgotten(probe: Any) -> None:
    with pytest.raises(RuntimeError, match="MUSA error: invalid device ordinal"):
        probe.fail()
    with pytest.raises(RuntimeError, match=r"MUSA error: .*configuration"):
        probe.launch_too_many_threads(torch.ones(1, device="musa"))
    assert torch.ones(3, device="musa").sum().item() == 3


@pytest.mark.parametrize(
    "library, words",
    [
        ("mublas", r"muBLAS error: .*MUBLAS_STATUS_INVALID_VALUE"),
        ("musparse", r"muSPARSE error: .*MUSPARSE_STATUS_INVALID_VALUE"),
        ("musolver", r"muSOLVER error \d+, when calling `MUSOLVER_STATUS_INVALID_VALUE`"),
        ("musa", r"MUSA driver error: .*MUSA_ERROR_INVALID_VALUE"),
    ],
)
def test_a_library_s_status_is_checked(probe: Any, library: str, words: str) -> None:
    with pytest.raises(RuntimeError, match=words):
        probe.fail_in_library(library)


TOLERANCES = {
    torch.float32: 1e-5,
    torch.float64: 1e-13,
    torch.complex64: 1e-5,
    torch.complex128: 1e-13,
    torch.float16: 2e-3,
    torch.bfloat16: 2e-2,
}


@pytest.mark.parametrize("dtype", TOLERANCES, ids=str)
@pytest.mark.parametrize("batch", [(), (3,)], ids=["one", "batch"])
def test_matrix_products(probe: Any, dtype: torch.dtype, batch: tuple[int, ...]) -> None:
    m, n, k = 5, 7, 6
    exact = torch.complex128 if dtype.is_complex else torch.float64
    for letters in ("nn", "tn", "nt", "ct"):
        a = torch.randn(*batch, *((k, m) if letters[0] == "n" else (m, k))).to(dtype)
        b = torch.randn(*batch, *((n, k) if letters[1] == "n" else (k, n))).to(dtype)
        c = torch.randn(*batch, n, m).to(dtype)
        result = c.musa()
        probe.multiply(letters, a.musa(), b.musa(), result)
        left, right = (
            x.to(exact) if letter == "t" else x.to(exact).conj() if letter == "c" else x.to(exact).mT
            for x, letter in ((a, letters[0]), (b, letters[1]))
        )
        wanted = (2 * left @ right + 3 * c.to(exact).mT).mT
        torch.testing.assert_close(result.cpu().to(exact), wanted, rtol=TOLERANCES[dtype], atol=TOLERANCES[dtype] * 10)


def test_matrix_product_of_one_column_and_of_nothing(probe: Any) -> None:
    a, b, c = torch.randn(1, 4).musa(), torch.randn(3, 1).musa(), torch.zeros(3, 4, device="musa")
    probe.multiply("nn", a.as_strided((1, 4), (1, 1)), b, c)
    assert torch.equal(c.cpu(), 2 * b.cpu() @ a.cpu())
    probe.multiply("nn", torch.empty(0, 4, device="musa"), torch.empty(3, 0, device="musa"), c.fill_(1))
    assert torch.equal(c.cpu(), torch.full((3, 4), 3.0))


def test_matrix_product_refuses(probe: Any) -> None:
    x = torch.zeros(2, 2, device="musa")
    with pytest.raises(RuntimeError, match="not 'q'"):
        probe.multiply("nq", x, x, x)
    with pytest.raises(RuntimeError, match=r"muBLAS error: .*mublasGemmStridedBatchedEx"):
        probe.multiply("nn", x.as_strided((2, 2), (1, 1)), x, x)


def test_blas_handle(probe: Any) -> None:
    assert probe.blas_handle_is_current()


def test_faulting_kernel_is_an_error_that_python_survives(run_python: RunPython, probe_library: Path) -> None:
    done = run_python(PROGRAMS / "faulting_kernel.py", str(probe_library))
    assert done.returncode == 0, done.stderr
    caught, still, alive = [line for line in done.stdout.splitlines() if line]
    assert caught.startswith("caught MUSA error: an illegal memory access")
    assert still.startswith("still MUSA error: an illegal memory access"), "a fault must stick, as on the hardware"
    assert alive == "alive 2.0"
