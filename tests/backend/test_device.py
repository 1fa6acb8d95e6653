"""torch.musa: devices. The quick start of torch_musa's manual is in tests/torch_musa_manual."""

from __future__ import annotations

import pytest
import torch

import musa_build

from .conftest import PROGRAMS, RunPython


def test_two_devices(run_python: RunPython) -> None:
    done = run_python(PROGRAMS / "two_devices.py", MUSA_SIM_DEVICES="2")
    assert done.returncode == 0 and done.stdout == "done\n", done.stderr


@pytest.mark.parametrize("use", [lambda: torch.ones(1, device="musa:7"), lambda: torch.musa.set_device(7)])
def test_device_that_does_not_exist(use: object) -> None:
    with pytest.raises(RuntimeError, match=r"[Ii]nvalid MUSA device index 7.*1 device"):
        use()  # type: ignore[operator]
    assert torch.musa.current_device() == 0
    assert torch.ones(1, device="musa").item() == 1


def test_other_device_types_are_refused() -> None:
    with pytest.raises(ValueError, match="Expected a musa device, but got: cpu"):
        torch.musa.synchronize("cpu")


def test_properties(run_python: RunPython) -> None:
    code = PROGRAMS / "device_properties.py"
    for arch, expected in {
        "mp_21": "2 1 32 True\nFalse ['mp_21'] True\n",
        "mp_31": "3 1 32 True\nTrue ['mp_31'] True\n",
    }.items():
        done = run_python(code, MUSA_SIM_DEVICES=arch)
        assert done.stdout == expected, done.stderr


def test_no_device(run_python: RunPython) -> None:
    code = PROGRAMS / "no_device.py"
    done = run_python(code, MUSA_SIM_DEVICES="0")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("False 0 2.0\n") and "device" in done.stdout.splitlines()[1]


def test_names_that_programs_use() -> None:
    import torch_musa

    assert torch.musa is torch_musa
    assert torch_musa.__version__ == musa_build.__version__
    x = torch.ones(1, device="musa")
    assert x.is_musa and not torch.ones(1).is_musa
    assert x.cpu().musa().device == x.device
    assert torch.nn.Linear(1, 1).musa().weight.is_musa
    if torch.__version__ >= (2, 6):
        assert torch.accelerator.current_accelerator() == torch.device("musa")
    assert torch.musa.get_amp_supported_dtype() == [torch.float16, torch.bfloat16]


def test_tensor_float_32_switch_of_the_manual() -> None:
    """Section 5.7: the switch is kept; the product is not rounded, with or without it."""
    import torch_musa

    a, b = torch.randn(16, 16), torch.randn(16, 16)
    before = torch.backends.mudnn.allow_tf32
    with torch.backends.mudnn.flags(allow_tf32=True):
        assert torch.backends.mudnn.allow_tf32
        assert torch_musa._MUSAC._get_allow_tf32()
        torch.testing.assert_close((a.musa() @ b.musa()).cpu(), a @ b)
    assert torch.backends.mudnn.allow_tf32 == before


def test_fork_is_refused_as_on_cuda(run_python: RunPython) -> None:
    code = PROGRAMS / "device_after_fork.py"
    assert run_python(code).stdout == "0 1.0\n"


@pytest.mark.slow
def test_script_that_ends_right_after_backward(run_python: RunPython) -> None:
    """Autograd's threads must be at rest when the interpreter shuts down; half of such scripts used to abort."""
    code = PROGRAMS / "ends_after_backward.py"
    for _ in range(2):
        done = run_python(code)
        assert done.returncode == 0, done.stderr


def test_peers(run_python: RunPython) -> None:
    done = run_python(
        PROGRAMS / "peers_of_two_devices.py",
        MUSA_SIM_DEVICES="2",
    )
    assert done.returncode == 0, done.stderr


def test_architectures_as_a_number_and_as_options() -> None:
    major, minor = torch.musa.get_device_capability()
    assert torch.musa._utils._get_musa_arch() == 10 * major + minor
    assert torch.musa.get_gencode_flags() == f"--offload-arch=mp_{major}{minor}"
