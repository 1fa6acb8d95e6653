"""The list of functions that are dumped, held against the PyTorch at hand."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
from torch.overrides import resolve_name

from musa_tools.dump.config import DEFAULT, default_names, read_wrap_ops
from musa_tools.errors import ToolError
from musa_tools.observe.api_names import Api

# Helpers, and functions that only call another one of the list.
NOT_COMPUTING = {
    "Optional", "assert_int_or_pair", "boolean_dispatch", "handle_torch_function", "has_torch_function",
    "has_torch_function_unary", "has_torch_function_variadic", "native_channel_shuffle", "sigmoid", "tanh",
    "upsample", "upsample_bilinear", "upsample_nearest",
}  # fmt: skip


# torch.nn.functional has them where torch_musa is imported.
OF_TORCH_MUSA = ("rope", "swish_glu")


def test_every_function_of_torch_nn_functional_is_listed() -> None:
    """A new PyTorch brings new functions: add them to the list, or to those above."""
    public = {
        name
        for name in dir(F)
        if not name.startswith("_")
        and callable(getattr(F, name))
        and resolve_name(getattr(F, name)) == f"torch.nn.functional.{name}"
    }
    assert public - NOT_COMPUTING - set(read_wrap_ops(None)["functional"]) == set()


@pytest.mark.parametrize("section", ["functional", "tensor", "torch", "vf"])
def test_every_name_of_the_list_exists(section: str) -> None:
    home = {"functional": F, "tensor": torch.Tensor, "torch": torch, "vf": torch._VF}[section]

    def exists(name: str) -> bool:
        owner = home
        for part in name.split("."):
            if not hasattr(owner, part):
                return False
            owner = getattr(owner, part)
        return True

    absent = [name for name in read_wrap_ops(None)[section] if not exists(name) and name not in OF_TORCH_MUSA]
    newest = tuple(int(part) for part in torch.__version__.split("+")[0].split(".")[:2]) >= (2, 13)
    assert absent == [] or not newest  # an older PyTorch lacks some


@pytest.mark.parametrize(
    ("function", "api"),
    [
        (F.linear, Api("Functional", "linear", False)),
        (F.relu_, Api("Functional", "relu_", True)),
        (torch.relu, Api("Torch", "relu", False)),
        (torch.linalg.norm, Api("Torch", "linalg_norm", False)),
        (torch.fft.fft, Api("Torch", "fft_fft", False)),
        (torch.einsum, Api("Torch", "einsum", False)),
        (torch.Tensor.__rsub__, Api("Tensor", "__rsub__", False)),
        (torch.Tensor.__setitem__, Api("Tensor", "__setitem__", True)),
        (torch.Tensor.add_, Api("Tensor", "add_", True)),
        (torch._VF.lstm, Api("VF", "lstm", False)),
        (torch.ops.aten.add, Api("Aten", "add", False)),
        (torch.ops.aten.add_.Tensor, Api("Aten", "add_", True)),
        (torch.Tensor.shape.__get__, None),
        (torch.Tensor.size, None),
        (torch.Tensor.backward, None),
        (torch.empty, None),
        (torch.is_tensor, None),
    ],
    ids=lambda value: str(getattr(value, "__name__", value)),
)
def test_names(function: object, api: Api) -> None:
    assert default_names().find(function) == api


def test_what_is_no_list(tmp_path: Path) -> None:
    path = tmp_path / "ops.yaml"
    for text, words in (("relu", "line 1 is wrong; found: 'relu'; wanted"), ("\nops:\n", "line 2: no section 'ops'")):
        path = path.with_name(f"{path.stem}x.yaml")
        path.write_text(text)
        with pytest.raises(ToolError, match=words):
            read_wrap_ops(str(path))


def test_the_list_reads_as_yaml() -> None:
    yaml = pytest.importorskip("yaml")
    loaded = yaml.safe_load(DEFAULT.read_text())
    assert {section: tuple(names) for section, names in loaded.items()} == read_wrap_ops(None)
