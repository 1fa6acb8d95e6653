"""Programs on unusual tensors, and the tools that watch them. As a script: run each under each, print what came out.

It is a process of its own because a tool that reads memory which a tensor does not have ends it.
"""

from __future__ import annotations

import copy
import io
import json
import re
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from pathlib import Path
from typing import Any, Callable, ClassVar

import numpy as np
import torch
from torch import nn
from torch.nn.modules import module as torch_module
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_map_only

from musa_tools.compare_dumps.command import compare_command
from musa_tools.compare_tool import CompareWithCPU, NanInfTracker, ToolError
from musa_tools.other_tools import hooks, ptdbg_ascend
from musa_tools.other_tools.msprobe import PrecisionDebugger
from musa_tools.replay_call import replay_call
from musa_tools.rerun.examine import JUDGE_FAILED

Program = Callable[[], Any]
PROGRAMS: dict[str, Program] = {}


def program(function: Program) -> Program:
    """Add a program to the table, under its name."""
    PROGRAMS[function.__name__] = function
    return function


def _of_dtype(name: str, source: torch.Tensor) -> None:
    dtype = getattr(torch, name, None)
    if dtype is None:
        return

    def run() -> Any:
        x = source.view(dtype) if source.dtype == torch.uint8 else source.to(dtype)
        y = torch.empty_like(x)
        return [x.clone(), y.copy_(x), x[1:], torch.equal(x, y), x.reshape(-1).contiguous()]

    PROGRAMS[name] = run


for _name in ("uint16", "uint32", "uint64", "int8", "bool", "float16", "bfloat16", "complex32", "complex128"):
    _of_dtype(_name, torch.tensor([1.0, 0.0, 3.0, 2.0]))
for _name in ("e4m3fn", "e5m2", "e4m3fnuz", "e5m2fnuz", "e8m0fnu"):
    _of_dtype(f"float8_{_name}", torch.tensor([1.0, 0.5, 2.0, 4.0]))
for _name in ("float4_e2m1fn_x2", "bits8", "bits1x8", "bits2x4", "bits4x2", "uint4", "int4", "quint4x2"):
    _of_dtype(_name, torch.tensor([1, 2, 3, 4], dtype=torch.uint8))


# --- tensors without memory of their own


@program
def zero_tensor_of_sgn() -> Any:
    x = torch.randn(3, requires_grad=True)
    return torch.autograd.grad(torch.sgn(x).sum(), x)


@program
def zero_tensor() -> Any:
    zero = torch._efficientzerotensor(3)
    return [zero + 1, zero * 2, zero.clone(), torch.ones(3).copy_(zero), torch.dot(zero, zero), zero.view(3, 1) + zero]


@program
def complex_zero_tensor() -> Any:
    zero = torch._efficientzerotensor(3, dtype=torch.complex64)
    return [zero.conj() + 1, zero * 2j, zero.real + 1]


@program
def meta() -> Any:
    x = torch.ones(3, device="meta", requires_grad=True)
    y = (x * 2).sum()
    y.backward()
    return [tuple(y.shape), x.grad.device.type, torch.zeros_like(x).add_(1).shape]


@program
def fake() -> Any:
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode() as mode:
        x = torch.ones(3)
        y = x * 2 + 1
    z = mode.from_tensor(torch.ones(2, 3)) @ y
    return [type(y).__name__, tuple(z.shape), str(z.device), tuple(torch.relu(z).shape)]


@program
def freed_storage() -> Any:
    """Free and restore storage, as FullyShardedDataParallel does between the layers."""
    x = torch.ones(4, 4)
    x.untyped_storage().resize_(0)
    views = [x.view(16), x.t(), x.detach(), x.view(2, 8)]
    shapes = [tuple(view.shape) for view in views]
    x.untyped_storage().resize_(64)
    x.fill_(2)
    return [shapes, x + 1]


@program
def freed_module() -> Any:
    layer = nn.Linear(2, 2)
    nn.init.ones_(layer.weight)
    nn.init.ones_(layer.bias)
    layer.weight.untyped_storage().resize_(0)

    def restore(module: nn.Module, args: Any) -> None:
        module.weight.untyped_storage().resize_(16)
        with torch.no_grad():
            module.weight.fill_(3)

    layer.register_forward_pre_hook(restore)
    out = WATCHED.call(layer, torch.ones(1, 2))
    out.sum().backward()
    return [out, layer.weight.grad]


@program
def resized_to_nothing() -> Any:
    x = torch.ones(4)
    y = x * 2
    x.resize_(0)
    return [x + 1, y, x.sum()]


@program
def sparse_without_values() -> Any:
    x = torch.sparse_coo_tensor(torch.empty(1, 0, dtype=torch.long), torch.empty(0), (3,))
    return [(x * 2).to_dense(), torch.sparse.sum(x)]


# --- layouts


@program
def sparse() -> Any:
    x = torch.eye(4)
    x[0, 1] = 5
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = [
            x.to_sparse(),
            x.to_sparse(1),
            x.to_sparse_csr(),
            x.to_sparse_csc(),
            x.to_sparse_bsr(2),
            x.to_sparse_bsc(2),
        ]
    for each in made:
        found += [
            each.to_dense(),
            (each * 2).to_dense(),
            each.clone().to_dense(),
            each.values() + 1 if each.layout != torch.sparse_coo else each.coalesce().values(),
        ]
    leaf = x.to_sparse().requires_grad_()
    torch.sparse.mm(leaf, torch.ones(4, 2)).sum().backward()
    return [*found, leaf.grad.to_dense(), x.to_sparse_csr() @ torch.ones(4)]


@program
def mkldnn() -> Any:
    x = torch.ones(2, 3).to_mkldnn()
    return [x.relu().to_dense(), (x + x).to_dense(), x.clone().to_dense()]


@program
def nested_strided() -> Any:
    x = torch.nested.nested_tensor([torch.ones(2, 3), torch.zeros(1, 3)], requires_grad=True)
    y = x * 2
    torch.nested.to_padded_tensor(y, 0.0).sum().backward()
    return [y.unbind(), x.grad.unbind(), torch.nested.to_padded_tensor(x, 7.0), x.is_nested]


@program
def nested_jagged() -> Any:
    x = torch.nested.nested_tensor([torch.ones(2, 3), torch.zeros(1, 3)], layout=torch.jagged, requires_grad=True)
    y = torch.relu(x * 2)
    y.values().sum().backward()
    return [y.unbind(), x.grad.unbind(), nn.functional.linear(x, torch.ones(1, 3)).values()]


@program
def weights_packed_by_c() -> Any:
    """Objects of classes in C++ among arguments and results."""
    torch.manual_seed(0)
    weight = torch.quantize_per_tensor(torch.randn(2, 3), 0.1, 0, torch.qint8)
    packed = torch.ops.quantized.linear_prepack(weight, None)
    return torch.ops.quantized.linear_dynamic(torch.ones(1, 3), packed)


@program
def quantized() -> Any:
    x = torch.quantize_per_tensor(torch.tensor([1.0, 2.0]), 0.1, 0, torch.quint8)
    y = torch.quantize_per_channel(torch.ones(2, 2), torch.tensor([0.1, 0.2]), torch.tensor([0, 0]), 0, torch.qint8)
    return [
        each
        for q in (x, y)
        for each in (q.dequantize(), q.int_repr(), q.clone().dequantize(), q.view(-1).shape if q is x else 0)
    ]


# --- subclasses


class PlainSubclass(torch.Tensor):
    """Has no method of its own."""


class PlainParameter(nn.Parameter):
    """As vLLM's and bitsandbytes' parameters are."""


class Counts(torch.Tensor):
    """Counts what PyTorch asks it."""

    asked: ClassVar[list[str]] = []

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        cls.asked.append(getattr(func, "__name__", str(func)))
        return super().__torch_function__(func, types, args, kwargs or {})


class Refuses(torch.Tensor):
    """Allows two functions."""

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func not in (torch.add, torch.Tensor.add, torch.Tensor.__add__):
            raise ValueError(f"{func} is not for this tensor")
        return super().__torch_function__(func, types, args, kwargs or {})


class Wrapper(torch.Tensor):
    """Wraps a tensor, and counts the operators that reach it."""

    inner: torch.Tensor
    seen: ClassVar[list[str]] = []

    @staticmethod
    def __new__(cls, inner: torch.Tensor) -> Any:
        wrapper = torch.Tensor._make_wrapper_subclass(
            cls, inner.shape, dtype=inner.dtype, requires_grad=inner.requires_grad
        )
        wrapper.inner = inner.detach()
        return wrapper

    def __repr__(self) -> str:
        return f"Wrapper({self.inner})"

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        cls.seen.append(str(func))
        args, kwargs = tree_map_only(Wrapper, lambda each: each.inner, (args, kwargs or {}))
        return tree_map_only(torch.Tensor, Wrapper, func(*args, **kwargs))


class Disabled(torch.Tensor):
    """Says that it dispatches nothing."""

    __torch_dispatch__ = torch._C._disabled_torch_dispatch_impl


class Dispatches(torch.Tensor):
    """Has memory, and a dispatch of its own."""

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        with torch._C._DisableTorchDispatch():
            out = func(*args, **(kwargs or {}))
            return tree_map_only(torch.Tensor, lambda each: each.as_subclass(Dispatches), out)


def without_copies(operators: list[str]) -> list[str]:
    """Operators but those by which autograd keeps a gradient: it copies one that somebody else has."""
    return [name for name in operators if not re.search("detach|new_empty_strided|copy_", name)]


@program
def plain_subclasses() -> Any:
    found: list[Any] = []
    for made in (torch.ones(2).as_subclass(PlainSubclass), torch.ones(2).as_subclass(Disabled)):
        found += [
            made + 1,
            made.data,
            made.detach(),
            made.clone().add_(1),
            torch.relu(made),
            made.view(2, 1),
            made.sum(),
        ]
    return found


@program
def parameter_subclass() -> Any:
    w = PlainParameter(torch.ones(2))
    file = io.BytesIO()
    torch.save(w, file)
    (w * 2).sum().backward()
    optimizer = torch.optim.SGD([w], lr=0.5)
    optimizer.step()
    return [w, w.data, w.grad, copy.deepcopy(w), type(w.detach()).__name__, torch.ops.aten.add(w, 1)]


@program
def counting_subclass() -> Any:
    Counts.asked = []
    x = torch.ones(2).as_subclass(Counts)
    leaf = torch.ones(2, requires_grad=True).as_subclass(Counts)
    y = (x + 1).relu() * leaf
    y.sum().backward()
    layer = nn.Linear(2, 2)
    nn.init.ones_(layer.weight)
    nn.init.ones_(layer.bias)
    out = WATCHED.call(layer, x)
    out.sum().backward()
    return [y.as_subclass(torch.Tensor), list(Counts.asked), out.as_subclass(torch.Tensor), layer.weight.grad]


@program
def refusing_subclass() -> Any:
    x = torch.ones(2).as_subclass(Refuses)
    with torch._C.DisableTorchFunctionSubclass():
        y = torch.mul(x, 3)
    return [type(x + 1).__name__, y]


@program
def wrapper_subclass() -> Any:
    Wrapper.seen = []
    x = Wrapper(torch.ones(2, requires_grad=True))
    y = x.relu() * 2
    y.sum().backward()
    return [y.inner, x.grad.inner, without_copies(Wrapper.seen)]


@program
def dispatching_subclass() -> Any:
    x = torch.ones(2).as_subclass(Dispatches)
    return [type(each).__name__ for each in (x + 1, x.detach(), torch.relu(x), x.add_(1))]


@program
def wrapper_in_module() -> Any:
    Wrapper.seen = []
    layer = nn.Linear(2, 2, bias=False)
    nn.init.ones_(layer.weight)
    layer.weight = nn.Parameter(Wrapper(layer.weight))
    out = WATCHED.call(layer, torch.ones(1, 2))
    out.sum().backward()
    return [out.inner, layer.weight.grad.inner, without_copies(Wrapper.seen)]


@program
def masked() -> Any:
    from torch.masked import masked_tensor

    x = masked_tensor(torch.tensor([1.0, 2.0]), torch.tensor([True, False]))
    return [str(each) for each in (x.sum(), x + x, x * 2)]


@program
def lazy_modules() -> Any:
    torch.manual_seed(0)
    model = nn.Sequential(nn.LazyLinear(3), nn.LazyBatchNorm1d(), nn.ReLU(inplace=True), nn.LazyLinear(1))
    out = WATCHED.call(model, torch.randn(4, 5))
    out.sum().backward()
    return [out, *[p.grad for p in model.parameters()], [type(m).__name__ for m in model.modules()]]


@program
def uninitialized_parameter() -> Any:
    p = nn.UninitializedParameter()
    b = nn.UninitializedBuffer()
    p.materialize((2,))
    b.materialize((2,))
    with torch.no_grad():
        p.fill_(1)
    b.fill_(2)
    return [type(p).__name__, p + b]


@program
def uninitialized_is_refused() -> Any:
    return nn.UninitializedParameter() + 1


@program
def dtensor() -> Any:
    import torch.distributed as dist
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.tensor import Shard, distribute_tensor

    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    try:
        mesh = init_device_mesh("cpu", (1,))
        x = distribute_tensor(torch.ones(4, 2), mesh, [Shard(0)]).requires_grad_()
        y = torch.relu(x * 2)
        y.sum().backward()
        return [y.to_local(), x.grad.to_local(), str(y.placements)]
    finally:
        dist.destroy_process_group()


# --- transforms


@program
def functorch() -> Any:
    def f(x: torch.Tensor) -> torch.Tensor:
        return (torch.sin(x) * x).sum()

    x = torch.tensor([1.0, 2.0])
    from torch import func

    return [
        func.vmap(torch.sin)(x),
        func.vmap(lambda row: row @ x)(torch.ones(3, 2)),
        func.grad(f)(x),
        func.jvp(torch.sin, (x,), (x,)),
        func.jvp(lambda q: torch.stack([q, q.detach()]).sin(), (x,), (x,)),
        func.vjp(torch.sin, x)[1](x),
        func.jacfwd(torch.sin)(x),
        func.jacrev(torch.sin)(x),
        func.hessian(f)(x),
        func.hessian(lambda q: (q**3).sum())(x),
        func.vmap(func.grad(f))(torch.ones(2, 2)),
        func.functionalize(lambda q: q.clone().add_(1))(x),
        func.vmap(lambda q: q * torch.rand(()) * 0, randomness="different")(x),
    ]


@program
def functorch_over_a_module() -> Any:
    model = nn.Linear(2, 1)
    with torch.no_grad():
        model.weight.fill_(1)
        model.bias.fill_(1)
    parameters = {name: value.detach() for name, value in model.named_parameters()}

    def loss(given: Any, x: torch.Tensor) -> torch.Tensor:
        return torch.func.functional_call(model, given, (x,)).sum()

    return torch.func.vmap(torch.func.grad(loss), (None, 0))(parameters, torch.ones(3, 2))


@program
def item_under_vmap() -> Any:
    return torch.func.vmap(lambda x: x * x.sum().item())(torch.ones(2))


@program
def forward_mode() -> Any:
    import torch.autograd.forward_ad as fwAD

    with fwAD.dual_level():
        x = fwAD.make_dual(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 0.0]))
        y = torch.sgn(x) + x.sin()
        return [tuple(fwAD.unpack_dual(y)), tuple(fwAD.unpack_dual(x.clone().mul_(2)))]


@program
def double_backward() -> Any:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    (g,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)
    return [g, torch.autograd.grad(g.sum(), x), torch.autograd.functional.hessian(lambda q: (q**3).sum(), x)]


# --- lazy bits, memory, versions


@program
def conjugated_and_negated() -> Any:
    x = torch.tensor([1 + 2j, 3 - 1j])
    c, n = x.conj(), x.conj().imag
    return [
        c,
        c * 2,
        c + x,
        n,
        n * 2,
        n.clone(),
        c.is_conj(),
        n.is_neg(),
        c.clone().is_conj(),
        torch.equal(x, c),
        c.add_(1),
        x,
    ]


@program
def expanded_and_overlapping() -> Any:
    x = torch.ones(1, 3).expand(4, 3)
    y = torch.arange(6.0).as_strided((3, 2), (1, 1))
    z = torch.arange(3.0)
    shared = z.view(3, 1)
    z.add_(1)
    return [
        x * 2,
        x.sum(0),
        y + 1,
        y.contiguous(),
        shared,
        z._version,
        shared._version,
        x.data_ptr() == x[1].data_ptr(),
    ]


@program
def empty_and_scalars() -> Any:
    found = [torch.empty(0) + 1, torch.empty(0, 3).sum(), torch.tensor(1.5) * 2, torch.empty(2, 0).mean(1)]
    return [*found, torch.zeros(0).view(0, 1).t(), torch.empty(0).add_(1)]


@program
def inference_tensors() -> Any:
    with torch.inference_mode():
        x = torch.ones(2)
        y = x.add_(1)
    z = y + 1
    refused = ""
    try:
        y.add_(1)
        str(x._version)
    except RuntimeError as error:
        refused = str(error).splitlines()[0]
    return [z, refused, y.is_inference()]


@program
def read_only_memory() -> Any:
    array = np.arange(3.0)
    array.flags.writeable = False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        x = torch.from_numpy(array)
    return [x + 1, x.sum(), x.clone().add_(1), array]


@program
def mapped_read_only_file() -> Any:
    import mmap

    with tempfile.TemporaryFile() as file:
        file.write(np.arange(4.0).tobytes())
        file.flush()
        with mmap.mmap(file.fileno(), 32, prot=mmap.PROT_READ) as memory, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            x = torch.frombuffer(memory, dtype=torch.float64)
            found = [x + 1, x.clone(), x.view(2, 2) @ torch.ones(2, dtype=torch.float64)]
            del x
    return found


@program
def shared_memory() -> Any:
    x = torch.ones(3).share_memory_()
    x.add_(1)
    return [x, x.is_shared(), (x * 2).is_shared()]


@program
def storage_and_data_swaps() -> Any:
    x = torch.ones(2)
    y = torch.zeros(4)
    x.set_(y.untyped_storage(), 0, (4,), (1,))
    x.add_(1)
    w = nn.Parameter(torch.ones(2))
    w.data = torch.zeros(3)
    torch.utils.swap_tensors(a := torch.ones(1), b := torch.zeros(2))
    return [y, w, w._version, a, b]


@program
def deterministic() -> Any:
    torch.use_deterministic_algorithms(True)
    try:
        x = torch.empty(3)
        refused = ""
        try:
            torch.nn.functional.interpolate(torch.ones(1, 1, 2, 2), size=(3, 3), mode="bicubic")
            torch.zeros(3).put_(torch.tensor([0, 0]), torch.ones(2), accumulate=False)
        except RuntimeError as error:
            refused = str(error).splitlines()[0]
        return [x, refused, torch.zeros(3).index_add_(0, torch.tensor([0, 0]), torch.ones(2))]
    finally:
        torch.use_deterministic_algorithms(False)


@program
def autocast() -> Any:
    x = torch.ones(2, 2, requires_grad=True)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        y = x @ x
        z = torch.nn.functional.linear(x, x).softmax(-1)
    z.float().sum().backward()
    return [y, z, x.grad]


@program
def not_finite() -> Any:
    x = torch.tensor([float("nan"), float("inf"), -float("inf")])
    return [x + 1, x.clone(), torch.full((2,), float("inf")), torch.tensor(float("nan")) * 2]


@program
def default_device_and_dtype() -> Any:
    torch.set_default_dtype(torch.float64)
    torch.set_default_device("meta")
    try:
        return [torch.ones(2).device.type, (torch.ones(2) * 2).dtype]
    finally:
        torch.set_default_device(None)
        torch.set_default_dtype(torch.float32)


@program
def anomaly() -> Any:
    x = torch.tensor([-1.0], requires_grad=True)
    with torch.autograd.set_detect_anomaly(True):
        y = torch.sqrt(x)
        y.backward()


@program
def refused_in_place() -> Any:
    x = torch.ones(2, requires_grad=True)
    x.add_(1)


@program
def written_after_saved() -> Any:
    x = torch.ones(2, requires_grad=True)
    y = x.exp()
    y.add_(1)
    y.sum().backward()


@program
def hooks_and_saved_tensors() -> Any:
    order: list[str] = []
    x = torch.ones(2, requires_grad=True)
    x.register_hook(lambda grad: order.append("grad"))
    with torch.autograd.graph.saved_tensors_hooks(
        lambda t: order.append("pack") or t, lambda t: order.append("unpack") or t
    ):
        y = (x.exp() * x).sum()
    y.backward()
    return [x.grad, order]


class Records(TorchDispatchMode):
    """A mode of the user's."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.seen.append(str(func))
        return func(*args, **(kwargs or {}))


@program
def user_mode() -> Any:
    with Records() as mode:
        layer = nn.Linear(2, 2)
        WATCHED.call(layer, torch.ones(1, 2)).sum().backward()
    return without_copies(mode.seen)


# --- tracing


class Small(nn.Module):
    """Something to be traced."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(2, 2)
        nn.init.ones_(self.layer.weight)
        nn.init.ones_(self.layer.bias)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.relu(self.layer(x))
        return y + y.new_ones(2)


def nodes(graph: Any) -> list[str]:
    """Return the operations of a graph of torch.fx."""
    return [f"{node.op} {node.target}" for node in graph.nodes]


@program
def jit_trace() -> Any:
    traced = torch.jit.trace(Small(), torch.ones(1, 2))
    return [
        str(traced.graph).count("aten::"),
        re.findall(r"aten::\w+", str(traced.inlined_graph)),
        traced(torch.ones(1, 2)),
    ]


@program
def jit_script() -> Any:
    scripted = torch.jit.script(Small())
    return [scripted(torch.ones(1, 2)), re.findall(r"aten::\w+", str(scripted.inlined_graph))]


@program
def fx_symbolic_trace() -> Any:
    from torch.fx import symbolic_trace

    traced = symbolic_trace(Small())
    return [nodes(traced.graph), traced(torch.ones(1, 2))]


@program
def make_fx() -> Any:
    from torch.fx.experimental.proxy_tensor import make_fx as trace

    def f(x: torch.Tensor) -> torch.Tensor:
        return torch.relu(x * 2).sum()

    found = [trace(f, tracing_mode=mode)(torch.ones(3)) for mode in ("real", "fake", "symbolic")]
    return [nodes(each.graph) for each in found] + [found[0](torch.ones(3))]


@program
def export() -> Any:
    dim = torch.export.Dim("rows", min=2, max=64)
    exported = torch.export.export(Small(), (torch.ones(3, 2),), dynamic_shapes={"x": {0: dim}})
    return [nodes(exported.graph), exported.module()(torch.ones(4, 2)), str(exported.range_constraints)]


@program
def compiled() -> Any:
    graphs: list[Any] = []

    def backend(graph: Any, inputs: Any) -> Any:
        graphs.append(nodes(graph.graph))
        return graph.forward

    torch.compiler.reset()
    small = Small()
    f = torch.compile(small, backend=backend)
    out = f(torch.ones(1, 2))
    out.sum().backward()
    return [out, list(map(len, graphs)), small.layer.weight.grad]


@program
def compiled_aot() -> Any:
    torch.compiler.reset()
    f = torch.compile(lambda x: torch.relu(x * 2).sum(), backend="aot_eager")
    x = torch.ones(3, requires_grad=True)
    f(x).backward()
    return x.grad


@program
def custom_operator() -> Any:
    inside: list[bool] = []
    if not hasattr(torch.ops.unusual, "twice"):

        @torch.library.custom_op("unusual::twice", mutates_args=())
        def twice(x: torch.Tensor) -> torch.Tensor:
            return (x.as_subclass(Counts) * 2).as_subclass(torch.Tensor)

    Counts.asked = []
    y = torch.ops.unusual.twice(torch.ones(2))
    inside.append(bool(Counts.asked))
    return [y, inside]


@program
def nest_that_contains_itself() -> Any:
    class Looped(nn.Module):
        def forward(self, x: torch.Tensor) -> list[Any]:
            made: list[Any] = [x * 2]
            made.append({"again": made})
            return made

    results = nn.Sequential(Looped())(torch.ones(3))
    return [results[0], len(results)]


@program
def odd_arguments() -> Any:
    """Pass arguments besides tensors to a call."""
    import enum

    class Number(enum.IntEnum):
        ONE = 1

    x = torch.arange(6.0).view(2, 3)
    cyclic: list[Any] = []
    cyclic.append(cyclic)
    refused = ""
    try:
        torch.add(x, cyclic)  # type: ignore[arg-type]
    except Exception as error:
        refused = type(error).__name__
    return [
        torch.sum(x, dim=Number.ONE),
        x[..., np.int64(1)],
        x[torch.tensor([True, False])],
        torch.add(x, np.float32(2)),
        torch.full((2,), float("nan")),
        torch.clamp(x, max=float("inf")),
        torch.where(x > 1, x, 1e400),
        x[slice(None), None, np.array([0, 1])],
        torch.add(torch.ones(1), 1 + 0j),
        torch.add(torch.ones(1), 10**30 * 1.0),
        refused,
    ]


# --- the tools


class _Watched:
    """Calls modules; a tool that wants a model is given them first."""

    def __init__(self) -> None:
        self.begin: Callable[[nn.Module], Any] = lambda module: None

    def call(self, module: nn.Module, *args: Any) -> Any:
        self.begin(module)
        return module(*args)


WATCHED = _Watched()


class Runs(nn.Module):
    """Runs a program as the forward pass of a model."""

    def __init__(self, function: Program) -> None:
        super().__init__()
        self.function = function

    def forward(self) -> Any:
        return self.function()


Watch = Callable[[Program, Path], Any]
TOOLS: dict[str, tuple[Watch, Watch]] = {}


class EmptyMode(TorchDispatchMode):
    """Does nothing: what differs under it is PyTorch's doing."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return func(*args, **(kwargs or {}))


class EmptyFunctionMode(torch.overrides.TorchFunctionMode):
    """Does nothing."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return func(*args, **(kwargs or {}))


def under_empty_mode(run: Program, folder: Path) -> Any:
    with EmptyMode():
        return run()


def under_empty_hooks(run: Program, folder: Path) -> Any:
    hook = torch_module.register_module_forward_hook(lambda module, args, out: None)
    try:
        with EmptyFunctionMode():
            return Runs(run)()
    finally:
        hook.remove()


def tool(control: Watch) -> Callable[[Watch], Watch]:
    """Add a tool to the table, under its name, with what does as much as PyTorch makes of any such tool."""

    def add(function: Watch) -> Watch:
        TOOLS[function.__name__] = function, control
        return function

    return add


@tool(under_empty_mode)
def compare(run: Program, folder: Path) -> Any:
    with CompareWithCPU(should_log_to_file=True, output_dir=str(folder)) as watching:
        found = run()
    assert not watching.counts.total("failed"), (folder / "compare_result.txt").read_text()
    assert not any(JUDGE_FAILED in reason for reason in watching.counts.reasons.values()), watching.counts.reasons
    return found


@tool(under_empty_mode)
def compare_at_once(run: Program, folder: Path) -> Any:
    with CompareWithCPU(should_log_to_file=True, output_dir=str(folder), dump_error_data=True, atol=1e9, rtol=1e9):
        return run()


@tool(under_empty_mode)
def nan_inf(run: Program, folder: Path) -> Any:
    with NanInfTracker(should_log_to_file=True, output_dir=str(folder)):
        return run()


@tool(under_empty_mode)
def nan_inf_at_once(run: Program, folder: Path) -> Any:
    with NanInfTracker(should_log_to_file=True, output_dir=str(folder), log_all=True):
        return run()


@tool(under_empty_hooks)
def nan_inf_of_modules(run: Program, folder: Path) -> Any:
    with NanInfTracker(should_log_to_file=True, output_dir=str(folder), level="module"):
        return Runs(run)()


def _dumping(run: Program, folder: Path, **config: Any) -> Any:
    path = folder / "config.json"
    path.write_text(json.dumps({"dump_path": str(folder / "dump"), **config}))
    model = Runs(run)
    debugger = PrecisionDebugger(path, model=model)

    def begin(module: nn.Module) -> None:  # its modules are known from here on
        debugger.step()
        model.watched = module
        debugger.start()

    WATCHED.begin = begin
    debugger.start()
    try:
        return model()
    finally:
        WATCHED.begin = lambda module: None
        debugger.stop()
        debugger.step()


@tool(under_empty_hooks)
def dump_functions(run: Program, folder: Path) -> Any:
    return _dumping(run, folder, level="L1")


@tool(under_empty_hooks)
def dump_modules(run: Program, folder: Path) -> Any:
    return _dumping(run, folder, level="mix", task="statistics", statistics={"summary_mode": "md5"})


@tool(under_empty_hooks)
def dump_and_read(run: Program, folder: Path) -> Any:
    """The dump is read again, compared with itself, and its calls are replayed: without an error, or a clear one."""
    found = _dumping(run, folder, level="mix", task="tensor", tensor={"summary_mode": "md5"})
    state = torch.get_rng_state()
    for path in (folder / "dump").rglob("*.json"):
        json.loads(path.read_text(encoding="utf-8"), parse_constant=lambda word: found.append(word))
    with redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch's reader of quantized tensors
        if any((folder / "dump").rglob("dump.json")):
            formats = (None, None)
            assert not compare_command(
                folder / "dump", folder / "dump", folder, "csv,json,html", "default", formats, (), False
            )
        for path in (folder / "dump").rglob("dump.json"):
            for name in json.loads(path.read_text(encoding="utf-8"))["data"]:
                with suppress(ToolError):
                    replay_call(path, name, "cpu", (None, None))
    torch.set_rng_state(state)
    return found


@tool(under_empty_hooks)
def dump_tensors_behind(run: Program, folder: Path) -> Any:
    return _dumping(run, folder, level="L1", task="tensor", async_dump=True)


@tool(under_empty_hooks)
def dump_overflows(run: Program, folder: Path) -> Any:
    return _dumping(run, folder, level="mix", task="overflow_check", overflow_check={"overflow_nums": -1})


@tool(under_empty_hooks)
def ptdbg(run: Program, folder: Path) -> Any:
    ptdbg_ascend.set_dump_path(folder / "lines.pkl")
    model = Runs(run)
    ptdbg_ascend.register_hook(model, ptdbg_ascend.acc_cmp_dump, dump_step=2)
    ptdbg_ascend.set_dump_switch("ON")
    try:
        return model()
    finally:
        ptdbg_ascend.set_dump_switch("OFF")


@tool(under_empty_hooks)
def torch_npu_hooks(run: Program, folder: Path) -> Any:
    hooks.set_dump_path(folder / "lines.pkl")
    model = Runs(run)
    hooks.register_hook(model, hooks.wrap_acc_cmp_hook)
    return model()


@tool(under_empty_hooks)
def torch_npu_files(run: Program, folder: Path) -> Any:
    model = Runs(run)
    hooks.register_hook(model, hooks.wrap_async_datadump_hook, path=str(folder / "files"))
    return model()


def facts(value: Any) -> Any:
    """Return the result of a program, as JSON."""
    if isinstance(value, (list, tuple)):
        return [facts(each) for each in value]
    if isinstance(value, dict):
        return {str(key): facts(each) for key, each in value.items()}
    if not isinstance(value, torch.Tensor):
        return re.sub(r"0x[0-9a-f]+", "0x", repr(value))
    with torch._C.DisableTorchFunctionSubclass():
        grad = type(value.grad_fn).__name__
        return [type(value).__name__, str(value.dtype), str(value.layout), repr(value), grad, value.is_conj()]


@contextmanager
def recorded() -> Iterator[list[str]]:
    """The warnings of a program, and what it raises."""
    found: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            yield found
        except Exception as error:
            found.append(f"raised {type(error).__name__}: {str(error).splitlines()[:1]}")
    found += [f"{each.category.__name__}: {str(each.message).splitlines()[0]}" for each in caught]


def outcome(run: Program, watch: Watch) -> Any:
    """Return the outcome of a program under a tool."""
    result = None
    torch.manual_seed(3)
    with tempfile.TemporaryDirectory() as folder, recorded() as found:
        result = watch(run, Path(folder))
    return [facts(result), [facts(each) for each in found], float(torch.rand(()))]


def main(cells: list[str]) -> None:
    """Run some cells, named ``program/tool``, and print a line of each."""
    plain: dict[str, Any] = {}
    for cell in cells:
        name, _, watch = cell.partition("/")
        if name not in plain:
            outcome(PROGRAMS[name], lambda run, folder: run())  # imports, caches, and what PyTorch warns of once
            plain[name] = outcome(PROGRAMS[name], lambda run, folder: run())
        watched, wanted = outcome(PROGRAMS[name], TOOLS[watch][0]), plain[name]
        if watched != wanted:
            wanted = outcome(PROGRAMS[name], TOOLS[watch][1])
        print(json.dumps([cell, wanted, watched]), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
