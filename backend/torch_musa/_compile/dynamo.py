"""Register torch.musa with Dynamo: which of its functions a graph may hold, and which results are constants of it.

Dynamo knows this about torch.cuda by itself. None of these interfaces is public: half of them is DeviceInterface, the
rest are tables that Dynamo of PyTorch 2.13 has. If another release lacks them, `registration` warns.
"""

from __future__ import annotations

import inspect
from typing import Any, Union

import torch
from torch._dynamo import trace_rules
from torch._dynamo.device_interface import DeviceInterface, register_interface_for_device
from torch._dynamo.utils import common_constant_types
from torch._dynamo.variables import ConstantVariable, SkipFunctionVariable, VariableTracker, streams
from torch._dynamo.variables import torch as torch_variables
from torch._dynamo.variables.ctx_manager import (
    AutocastModeVariable,
    GenericDeviceVariable,
    NullContextVariable,
    register_device_context_manager,
)
from torch._dynamo.variables.torch import TorchCtxManagerClassVariable, TorchInGraphFunctionVariable
from torch._dynamo.variables.user_defined import UserDefinedClassVariable

from torch_musa import _MUSAC
from torch_musa._compile import operators  # noqa: F401  registers what the graph holds
from torch_musa.core import _utils, amp, memory, random, runtime
from torch_musa.core import device as devices
from torch_musa.core import stream as musa_streams


class MusaInterface(DeviceInterface):
    """The device for Dynamo's code that works on any device."""

    device = devices.device
    Event = musa_streams.Event
    Stream = musa_streams.Stream

    class Worker:
        """The device in a process that compiles."""

        set_device = staticmethod(devices.set_device)
        current_device = staticmethod(devices.current_device)
        get_device_properties = staticmethod(devices.get_device_properties)

    current_device = staticmethod(devices.current_device)
    set_device = staticmethod(devices.set_device)
    exchange_device = staticmethod(devices._exchange_device)
    maybe_exchange_device = staticmethod(devices._maybe_exchange_device)
    device_count = staticmethod(devices.device_count)
    is_available = staticmethod(devices.is_available)
    stream = staticmethod(musa_streams.stream)
    current_stream = staticmethod(musa_streams.current_stream)
    set_stream = staticmethod(musa_streams.set_stream)
    _set_stream_by_id = staticmethod(musa_streams._set_stream_by_id)
    synchronize = staticmethod(devices.synchronize)
    get_compute_capability = staticmethod(devices.get_device_capability)
    is_bf16_supported = staticmethod(devices.is_bf16_supported)
    memory_allocated = staticmethod(memory.memory_allocated)

    @staticmethod
    def get_raw_stream(device_idx: int) -> int:
        """Return the musaStream_t of a device's current stream."""
        return musa_streams.current_stream(device_idx).musa_stream


class MusaDeviceVariable(GenericDeviceVariable):
    """`with torch.musa.device(...)` in a graph."""

    _exchange_fn = staticmethod(devices._exchange_device)
    _maybe_exchange_fn = staticmethod(devices._maybe_exchange_device)

    @staticmethod
    def _get_device_index_fn(named: Any, optional: bool = False) -> int:
        return -1 if named is None else _utils._get_device_index(named, optional)

    def enter(self, tx: Any) -> VariableTracker:
        """Change the device for the rest of the tracing, and in the graph."""
        previous = devices._exchange_device(self.target_values[0])
        self.set_cleanup_hook(tx, lambda: devices._exchange_device(previous))
        tx.output.create_proxy("call_function", torch.ops.torch_musa.enter_device, (self.target_values[0],), {})
        return ConstantVariable.create(None)

    def exit(self, tx: Any, *args: VariableTracker) -> VariableTracker:
        """Put the device back."""
        self.cleanup_assert()
        tx.output.create_proxy("call_function", torch.ops.torch_musa.leave, (), {})
        return ConstantVariable.create(None)

    def module_name(self) -> str:
        """Return where the class is found."""
        return "torch.musa"

    def python_type(self) -> type:
        """Return the class."""
        return devices.device


class MusaStreamContextVariable(streams.StreamContextVariable):
    """`with torch.musa.stream(...)` in a graph: the work inside runs on the stream, with every backend.

    Dynamo's own class only notes the stream for Inductor, and makes AOTAutograd estimate times by Triton.
    """

    def enter(self, tx: Any, *args: VariableTracker) -> VariableTracker:
        """Make the stream current for the rest of the tracing, and in the graph."""
        stream = self.get_stream()
        tx.symbolic_stream_state.enter_stream(stream)
        tx.output.create_proxy("call_function", torch.ops.torch_musa.enter_stream, (stream.user_object_index,), {})
        return ConstantVariable.create(None)

    def exit(self, tx: Any, *args: VariableTracker) -> VariableTracker:
        """Leave the stream."""
        tx.output.create_proxy("call_function", torch.ops.torch_musa.leave, (), {})
        tx.symbolic_stream_state.exit_stream()
        return ConstantVariable.create(None)

    def supports_graph_breaks(self) -> bool:
        """Return False: the rest of a graph that ends inside would be compiled without the stream."""
        return False


class MusaStreamVariable(streams.StreamVariable):
    """torch.musa.current_stream() in a graph."""

    _cpython_type = musa_streams.Stream
    _device_handle_attr = "musa_stream"

    def call_method(
        self, tx: Any, name: str, args: list[VariableTracker], kwargs: dict[str, VariableTracker]
    ) -> VariableTracker:
        """Wait for another stream by our own operator.

        With Dynamo's, AOTAutograd would make the forward graph wait for the backward one.
        """
        if name == "wait_stream" and len(args) == 1 and isinstance(args[0], streams.StreamVariable) and not kwargs:
            numbers = (self.user_object_index, args[0].user_object_index)
            tx.output.create_proxy("call_function", torch.ops.torch_musa.wait_stream, numbers, {})
            return ConstantVariable.create(None)
        return super().call_method(tx, name, args, kwargs)


# Questions whose answer is a constant of the graph, which is compiled again when it changes.
GUARDED = (
    devices.current_device,
    devices.device_count,
    devices.is_available,
    devices.is_bf16_supported,
    devices.is_initialized,
    devices.is_tf32_supported,
    runtime.is_current_stream_capturing,
    _MUSAC.current_device,
)
# Values that never change while a process runs.
CONSTANTS = (devices.get_device_properties,)
# Functions that become an operation of the graph, for which Dynamo has a handler.
HANDLED = (musa_streams.current_stream, musa_streams.stream, devices.synchronize)
# Functions that end a graph, as torch.cuda's functions of these names do, and run between two of them.
ENDING = (
    devices.set_device,
    musa_streams.set_stream,
    memory.max_memory_allocated,
    memory.memory_allocated,
    memory.memory_stats,
    random.get_rng_state,
    random.manual_seed,
    random.manual_seed_all,
    random.set_rng_state,
)


def register() -> None:
    """Tell Dynamo."""
    for name in ("musa", *(f"musa:{index}" for index in range(devices.device_count()))):
        register_interface_for_device(name, MusaInterface)
    register_device_context_manager(devices.device, MusaDeviceVariable)
    streams._stream_fn_to_variable_cls[musa_streams.current_stream] = MusaStreamVariable
    UserDefinedClassVariable._in_graph_classes().update({musa_streams.Stream, musa_streams.Event})
    common_constant_types.add(devices.DeviceProperties)
    torch_variables.constant_fold_functions.update(dict.fromkeys((*GUARDED, *CONSTANTS)))
    torch_variables.constant_fold_functions_need_guards.update(dict.fromkeys(GUARDED))
    rules = trace_rules.get_torch_obj_rule_map()
    rules.update(dict.fromkeys((*GUARDED, *CONSTANTS, *HANDLED), TorchInGraphFunctionVariable))
    rules.update(dict.fromkeys(ENDING, SkipFunctionVariable))
    handlers = TorchInGraphFunctionVariable._get_handlers()
    _tell_autocast(rules, handlers)
    handlers[musa_streams.stream] = _enter_stream
    handlers[musa_streams.current_stream] = handlers[torch.accelerator.current_stream]
    handlers[devices.synchronize] = handlers[torch.accelerator.synchronize]


def _enter_stream(
    called: TorchInGraphFunctionVariable, tx: Any, stream: Any
) -> Union[NullContextVariable, MusaStreamContextVariable]:
    """Handle `torch.musa.stream(...)`, which changes nothing for None."""
    if stream.is_python_constant() and stream.as_python_constant() is None:
        return NullContextVariable()
    return MusaStreamContextVariable(stream)


def _tell_autocast(rules: dict[Any, Any], handlers: dict[Any, Any]) -> None:
    """Register torch.musa.amp.autocast, and the two functions about autocast that torch_musa.core.amp wraps."""
    torch_variables.supported_ctx_manager_classes.update(dict.fromkeys([amp.autocast]))
    make_others = TorchCtxManagerClassVariable.call_function

    def call_function(
        called: TorchCtxManagerClassVariable, tx: Any, args: Any, kwargs: dict[str, VariableTracker]
    ) -> VariableTracker:
        if called.value is amp.autocast:
            return _autocast(args, kwargs)
        return make_others(called, tx, args, kwargs)

    TorchCtxManagerClassVariable.call_function = call_function
    asking = (torch.is_autocast_enabled, torch._C.is_autocast_enabled)
    setting = (torch.set_autocast_enabled, torch._C.set_autocast_enabled)
    rules.update(dict.fromkeys((*asking, *setting), TorchInGraphFunctionVariable))
    torch_variables.constant_fold_functions.update(dict.fromkeys(asking))
    for handler in [handlers[function] for function in setting if function in handlers]:
        handlers.update(dict.fromkeys(setting, handler))


def _autocast(args: Any, kwargs: dict[str, VariableTracker]) -> AutocastModeVariable:
    """Make torch.musa.amp.autocast of a graph: torch.autocast with the device filled in."""
    given = inspect.signature(amp.autocast).bind(*args, **kwargs)
    given.apply_defaults()
    values = (given.arguments[name] for name in ("dtype", "enabled", "cache_enabled"))
    known = [value.as_python_constant() if isinstance(value, VariableTracker) else value for value in values]
    return AutocastModeVariable(["musa", *known])
