"""The modules of torch_musa 2.7.1 that are elsewhere here, and those that are absent, each with the reason.

The names are those of its public modules: tests/backend/test_module_paths.py has the list.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Optional

MODULES: Mapping[str, Sequence[str]] = {
    "core._lazy_init": ("torch_musa",),
    "core.amp.autocast_mode": ("torch_musa.core.amp",),
    "core.amp.common": ("torch_musa.core.amp", "torch_musa.core.device"),
    "core.amp.grad_scaler": ("torch_musa.core.amp",),
    "core.musa": ("torch_musa.core.storage_types",),
    "distributed.fsdp": ("torch.distributed.fsdp.sharded_grad_scaler",),
    "distributed.fsdp.sharded_grad_scaler": ("torch.distributed.fsdp.sharded_grad_scaler",),
    "multi_tensor_apply.multi_tensor_apply": ("torch_musa.multi_tensor_apply",),
    "musa_graph": ("torch_musa.core.graphs", "torch_musa.core.runtime"),
    "musa_graph.graphs": ("torch_musa.core.graphs", "torch_musa.core.runtime"),
    "optim.fused_adam": ("torch_musa.optim.adam",),
    "optim.fused_adamw": ("torch_musa.optim.adam",),
    "optim.fused_lamb": ("torch_musa.optim.lamb",),
    "profiler": ("torch_musa.core.profiler",),
    "testing.common_utils": ("torch_musa.testing",),
}
"""Module of torch_musa -> the modules that have its names; those before others win."""

_SET_UP = "torch_musa's own set-up, which is done when it is imported"
ABSENT: Mapping[str, str] = {
    "_dynamo": "torch.compile finds the device by torch's own registration (torch_musa._compile)",
    "_export": "ahead-of-time compilation for cards",
    "_inductor": "code generation for cards; torch.compile compiles for the simulated device by torch's own code",
    "core.ao": "quantised modules of muDNN",
    "core.lowering": "quantised modules of muDNN",
    "core.module_attrs": _SET_UP,
    "core.ops": "the operators are torch_musa.core.fused's",
    "core.reductions": "torch_musa.core.sharing shares tensors among processes",
    "core.storage": _SET_UP,
    "core.tensor_attrs": _SET_UP,
    "distributed._composable": "FSDP is PyTorch's own, without torch_musa's patches",
    "distributed._state_dict_utils": "PyTorch's own works with the device",
    "distributed.device_mesh": "PyTorch's own works with the device",
    "distributed.dist_wrapper_patch": "PyTorch's own works with the device",
    "distributed.dtensor_patches": "PyTorch's own works with the device",
    "distributed.loss": "its library of kernels is closed",
    "distributed.tensor": "PyTorch's own works with the device",
    "setup_helpers": "torch_musa's own build",
    "testing": "torch_musa's own tests",
    "utils.musify_text": "python -m musa_build.porting.musify is the command",
    "utils.simple_porting_via_musify": "torch_musa.utils.simple_porting ports a folder",
}
"""Module of torch_musa, with those below it -> why it is not here."""

ABSENT_NAMES: Mapping[str, str] = {
    **dict.fromkeys(
        (
            *("apply_lowering_patch", "init_reductions", "overwrite_cuda_api", "parseEnvForUMM"),
            *("register_deserialization", "register_musa_hook", "set_attributes", "set_module_attributes"),
            *("set_profiler_attributes", "set_storage_attributes", "set_torch_attributes"),
        ),
        _SET_UP,
    ),
    "use_unified_cpu_allocator": "memory that host and card share on Moore Threads' systems on a chip",
}
"""Name in torch_musa -> why it is not here."""


class _Finder(MetaPathFinder, Loader):
    """Finds MODULES, and raises an error with the reason for a module of ABSENT. All others were found before."""

    def find_spec(
        self, fullname: str, path: Optional[Sequence[str]] = None, target: Optional[ModuleType] = None
    ) -> Optional[ModuleSpec]:
        package, _, name = fullname.partition(".")
        if package != __package__:
            return None
        if name in MODULES:
            return ModuleSpec(fullname, self, is_package=any(each.startswith(f"{name}.") for each in MODULES))
        parts = name.split(".")
        for length in range(len(parts), 0, -1):
            reason = ABSENT.get(".".join(parts[:length]))
            if reason:
                raise ModuleNotFoundError(f"{fullname} is not in the simulator's torch_musa: {reason}", name=fullname)
        return None

    def exec_module(self, module: ModuleType) -> None:
        name = module.__name__.partition(".")[2]
        sources = [importlib.import_module(source) for source in MODULES[name]]
        for source in reversed(sources):
            vars(module).update({key: value for key, value in vars(source).items() if not key.startswith("__")})
        vars(module)["__getattr__"] = partial(getattr, sources[0])  # for attributes that it computes


def register() -> None:
    """Let imports find them."""
    sys.meta_path.append(_Finder())


def why_absent(name: str) -> str:
    """Return the message of the AttributeError for a name of torch_musa."""
    reason = ABSENT_NAMES.get(name)
    because = f": {reason}" if reason else ""
    return f"module {__package__!r} has no attribute {name!r}{because}"
