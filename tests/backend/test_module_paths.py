"""The public names of torch_musa 2.7.1's modules: they are here, or one sentence says why not."""

from __future__ import annotations

import importlib

import pytest
import torch_musa
from torch_musa import _module_paths

NAMES = {
    "": "amp_definitely_not_available get_amp_supported_dtype musart is_bf16_supported is_tf32_supported mccl memory",
    "core": "cmake_prefix_path current_blas_handle current_blaslt_handle",
    "core._lazy_init": "DeferredMusaCallError MusaError check_error device init is_initialized musart _lazy_init "
    "_lazy_call _is_in_bad_fork _initialized",
    "core.amp": "autocast custom_fwd custom_bwd GradScaler",
    "core.amp.autocast_mode": "autocast custom_fwd custom_bwd",
    "core.amp.common": "amp_definitely_not_available get_amp_supported_dtype",
    "core.amp.grad_scaler": "GradScaler",
    "core.device": "Device DeviceOf set_device current_device get_device_capability",
    "core.mudnn": "flags set_flags version",
    "core.musa": "BFloat16Storage BoolStorage ByteStorage CharStorage DoubleStorage FloatStorage HalfStorage",
    "core.stream": "Stream Event ExternalStream StreamContext",
    "distributed.fsdp": "ShardedGradScaler",
    "distributed.fsdp.sharded_grad_scaler": "ShardedGradScaler",
    "multi_tensor_apply.multi_tensor_apply": "MultiTensorApply",
    "musa_graph": "MUSAGraph graph graph_pool_handle is_current_stream_capturing make_graphed_callables",
    "musa_graph.graphs": "MUSAGraph graph graph_pool_handle is_current_stream_capturing make_graphed_callables",
    "optim.fused_adam": "FusedAdam",
    "optim.fused_adamw": "FusedAdamW",
    "optim.fused_lamb": "FusedLAMB",
    "testing.common_utils": "get_musa_arch",
    "utils": "BuildExtension MUSAExtension",
    "utils.musa_extension": "BuildExtension MUSAExtension load load_inline include_paths library_paths MUSA_HOME",
    "utils.simple_porting": "SimplePorting EXT_REPLACED_MAPPING LOGGER",
}


@pytest.mark.parametrize("module", NAMES)
def test_names_are_where_torch_musa_has_them(module: str) -> None:
    found = importlib.import_module(".".join(filter(None, ("torch_musa", module))))
    assert [name for name in NAMES[module].split() if not hasattr(found, name)] == []


def test_both_modules_have_the_same_object() -> None:
    from torch_musa.core._lazy_init import _lazy_call, musart
    from torch_musa.musa_graph import MUSAGraph

    assert (_lazy_call, musart, MUSAGraph) == (torch_musa._lazy_call, torch_musa.musart, torch_musa.MUSAGraph)


@pytest.mark.parametrize("module", [*_module_paths.ABSENT, "testing.base_test_tool"])
def test_absent_modules_say_why(module: str) -> None:
    if module == "testing":
        pytest.skip("a part of it is here")
    with pytest.raises(ModuleNotFoundError, match=f"torch_musa.{module} is not in the simulator's torch_musa: .+"):
        importlib.import_module(f"torch_musa.{module}")


@pytest.mark.parametrize("name", _module_paths.ABSENT_NAMES)
def test_absent_names_say_why(name: str) -> None:
    with pytest.raises(AttributeError, match=f"'torch_musa' has no attribute '{name}': .+"):
        getattr(torch_musa, name)


def test_other_names_are_missing_as_everywhere() -> None:
    with pytest.raises(AttributeError, match=r"^module 'torch_musa' has no attribute 'nothing'$"):
        torch_musa.nothing  # noqa: B018
    with pytest.raises(ModuleNotFoundError, match=r"^No module named 'torch_musa.nothing'$"):
        importlib.import_module("torch_musa.nothing")
