"""Older names and forms: types of storages and tensors, autocast without a device, the flags of torch_musa's build."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
import torch_musa
from torch_musa.utils import musa_extension

from .conftest import RunPython, needs_2_13

STORAGES = {
    "BoolStorage": torch.bool,
    "ByteStorage": torch.uint8,
    "CharStorage": torch.int8,
    "ShortStorage": torch.int16,
    "IntStorage": torch.int32,
    "LongStorage": torch.int64,
    "HalfStorage": torch.float16,
    "BFloat16Storage": torch.bfloat16,
    "FloatStorage": torch.float32,
    "DoubleStorage": torch.float64,
    "ComplexFloatStorage": torch.complex64,
    "ComplexDoubleStorage": torch.complex128,
}


@pytest.mark.filterwarnings("ignore:TypedStorage is deprecated")
@pytest.mark.parametrize("name", STORAGES)
def test_storages_of_one_type(name: str) -> None:
    kind = getattr(torch.musa, name)
    made = kind(5)
    assert made.dtype == kind.dtype == STORAGES[name] and made.device.type == "musa" and len(made) == 5
    assert isinstance(made, kind) and not isinstance(getattr(torch, name)(5), kind)
    assert isinstance(torch.zeros(2, dtype=STORAGES[name], device="musa").storage(), kind)
    assert made.type() == f"torch.musa.{name}"
    filled = torch.musa.FloatStorage([1.0, 2.0])
    assert filled.tolist() == [1.0, 2.0]


@pytest.mark.filterwarnings("ignore:TypedStorage is deprecated")
def test_what_only_host_memory_can_do_is_refused() -> None:
    with pytest.raises(RuntimeError, match="from_buffer: Not available for MUSA storage"):
        torch.musa.FloatStorage.from_buffer(b"1234", "native")


@pytest.mark.parametrize(
    "name", ["Bool", "Byte", "Char", "Short", "Int", "Long", "Half", "BFloat16", "Float", "Double"]
)
def test_a_tensor_becomes_one_of_a_type(name: str) -> None:
    """Type and name of the type mean the same, as everywhere in PyTorch."""
    kind = getattr(torch.musa, f"{name}Tensor")
    for asked in (kind, f"torch.musa.{name}Tensor"):
        made = torch.tensor([0, 1]).type(asked)
        assert made.device.type == "musa" and made.type() == f"torch.musa.{name}Tensor" and isinstance(made, kind)
    assert kind.__name__ == f"{name}Tensor" and repr(kind) == f"<class 'torch.musa.{name}Tensor'>"


@pytest.fixture
def autocast_off_later() -> object:
    yield
    torch.set_autocast_enabled("musa", False)


@pytest.mark.usefixtures("autocast_off_later")
def test_autocast_without_a_device_is_musas() -> None:
    assert not torch.is_autocast_enabled()
    torch.set_autocast_enabled(True)
    assert torch.is_autocast_enabled() and torch.is_autocast_enabled("musa") and not torch.is_autocast_enabled("cpu")
    assert (torch.ones(2, 2, device="musa") @ torch.ones(2, 2, device="musa")).dtype == torch.float16
    torch.set_autocast_enabled(enabled=False)
    assert not torch.is_autocast_enabled("musa")
    with torch.autocast("cpu"):
        assert torch.is_autocast_enabled("cpu") and not torch.is_autocast_enabled()
    with torch.musa.amp.autocast():
        assert torch.is_autocast_enabled()


def test_attention_takes_no_way_around_autocast() -> None:
    """Its fast way, for inference, computes in the parameters' precision; it asks whether autocast is enabled."""
    attention = torch.nn.MultiheadAttention(8, 2, batch_first=True).to("musa").eval()
    query = torch.randn(1, 3, 8, device="musa")
    with torch.inference_mode(), torch.musa.amp.autocast():
        assert attention(query, query, query)[0].dtype == torch.float16


@needs_2_13
@pytest.mark.parametrize("fullgraph", [True])
def test_autocast_in_a_compiled_function(fullgraph: bool) -> None:
    def function(x: torch.Tensor) -> tuple[torch.Tensor, bool]:
        with torch.musa.amp.autocast(dtype=torch.bfloat16):
            return x @ x, torch.is_autocast_enabled()

    from torch._dynamo.testing import CompileCounter

    counter = CompileCounter()
    x = torch.randn(4, 4, device="musa")
    product, enabled = torch.compile(function, backend=counter, fullgraph=fullgraph)(x)
    assert product.dtype == torch.bfloat16 and enabled
    assert counter.op_count == 3  # enter, multiply, exit


def test_what_torch_musas_build_of_extensions_names(sim_sdk_root: Path, run_python: RunPython) -> None:
    assert Path(musa_extension.TORCH_MUSA_LIB_PATH) == Path(torch_musa.__file__).parent / "lib"
    assert list(Path(musa_extension.TORCH_MUSA_LIB_PATH).glob("libmusa_python.so"))
    assert musa_extension.COMMON_MCC_FLAGS == []
    code = "from torch_musa.utils.musa_extension import MUSA_HOME, MUDNN_HOME; print(MUSA_HOME, MUDNN_HOME)"
    done = run_python(code, MUSA_HOME=str(sim_sdk_root), MUSA_BUILD_SIMULATOR="0", MUDNN_HOME="/opt/mudnn")
    assert done.stdout.split() == [str(sim_sdk_root), "/opt/mudnn"], done.stderr


def test_without_an_sdk_its_home_is_none(run_python: RunPython) -> None:
    code = "from torch_musa.utils.musa_extension import MUSA_HOME; print(MUSA_HOME)"
    done = run_python(code, MUSA_HOME="", MUSA_PATH="", MUSA_BUILD_SIMULATOR="0", PATH="/usr/bin:/bin")
    assert done.stdout == "None\n", done.stderr
