"""Graphs: a stream's work, captured once and launched as often as wanted. The interface is that of torch.cuda.graphs.

Kernels of extensions, copies and fills are captured by the runtime. PyTorch's own operators are recorded as jobs that
run their CPU kernels at each launch; one whose results' shapes depend on values is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Optional, Union

import torch
from torch import Tensor
from torch.utils import _pytree as pytree

from torch_musa import _MUSAC
from torch_musa.core.device import synchronize
from torch_musa.core.stream import Stream, StreamContext

Pool = tuple[int, int]
ModuleOrCallable = Union[torch.nn.Module, Callable[..., Any]]
_OWN_POOL = (0, 0)


def graph_pool_handle() -> Pool:
    """Return the name of a new memory pool, which several graphs may share."""
    return _MUSAC.graph_pool()


class MUSAGraph(_MUSAC._MUSAGraph):
    """The work of a stream, captured to be launched again.

    Args:
        keep_graph: whether to keep the musaGraph_t after the capture, for raw_musa_graph(); instantiate() is then
            called by the caller, or by the first replay().
    """

    def __init__(self, keep_graph: bool = False) -> None:
        super().__init__(keep_graph)

    def capture_begin(self, pool: Optional[Pool] = None, capture_error_mode: str = "global") -> None:
        """Begin to capture the current stream, which must not be the default one.

        Args:
            pool: the pool that memory allocated during the capture belongs to; a new one if None.
            capture_error_mode: "global", "thread_local" or "relaxed": whose unsafe calls, as of musaMalloc, are errors.
        """
        super().capture_begin(pool or _OWN_POOL, capture_error_mode)

    def capture_end(self) -> None:
        """End the capture, in the stream where it began."""
        super().capture_end()

    def instantiate(self) -> None:
        """Make the captured graph executable."""
        super().instantiate()

    def replay(self) -> None:
        """Launch the graph in the current stream."""
        super().replay()

    def reset(self) -> None:
        """Give back the graph and the memory that it kept."""
        super().reset()

    def pool(self) -> Pool:
        """Return the name of the pool that the graph's memory belongs to."""
        return super().pool()

    def enable_debug_mode(self) -> None:
        """Keep what debug_dump() writes."""
        super().enable_debug_mode()

    def debug_dump(self, debug_path: str) -> None:
        """Write the nodes, and which come after which, to a file for Graphviz."""
        super().debug_dump(debug_path)

    def raw_musa_graph(self) -> int:
        """Return the musaGraph_t as an integer; `keep_graph` must be True."""
        return super().raw_musa_graph()

    def raw_musa_graph_exec(self) -> int:
        """Return the musaGraphExec_t as an integer."""
        return super().raw_musa_graph_exec()


class graph:
    """Context manager that captures its work into a MUSAGraph.

    Args:
        musa_graph: the graph, which must be new.
        pool: as for MUSAGraph.capture_begin.
        stream: the stream to capture, current inside; one of its own if None.
        capture_error_mode: as for MUSAGraph.capture_begin.
    """

    default_capture_stream: Optional[Stream] = None

    def __init__(
        self,
        musa_graph: MUSAGraph,
        pool: Optional[Pool] = None,
        stream: Optional[torch.Stream] = None,
        capture_error_mode: str = "global",
    ) -> None:
        if stream is None and graph.default_capture_stream is None:
            graph.default_capture_stream = Stream()
        self.musa_graph = musa_graph
        self.pool = pool
        self.capture_stream = stream or graph.default_capture_stream
        self.capture_error_mode = capture_error_mode
        self._current = StreamContext(self.capture_stream)

    def __enter__(self) -> None:
        synchronize()
        self._current.__enter__()
        try:
            self.musa_graph.capture_begin(self.pool, self.capture_error_mode)
        except BaseException:
            self._current.__exit__()
            raise

    def __exit__(self, kind: object, *exc_info: object) -> None:
        try:
            if kind is None:
                self.musa_graph.capture_end()
            else:
                self.musa_graph.reset()  # half of the work is no graph; and what went wrong inside says more
        finally:
            self._current.__exit__()


def make_graphed_callables(
    callables: Union[ModuleOrCallable, tuple[ModuleOrCallable, ...]],
    sample_args: Union[tuple[Tensor, ...], tuple[tuple[Tensor, ...], ...]],
    num_warmup_iters: int = 3,
    allow_unused_input: bool = False,
    pool: Optional[Pool] = None,
) -> Any:
    """Return callables that launch graphs of the given ones, forward and backward.

    Args:
        callables: a function or module, or a tuple of them in the order in which they will run.
        sample_args: the tensors to call it with, or a tuple of such; real arguments must have their shapes and
            their requires_grad.
        num_warmup_iters: how often each is run before the capture.
        allow_unused_input: whether inputs may have no influence on the outputs.
        pool: the memory pool of all graphs; a new one if None.
    """
    if torch.is_autocast_enabled() and torch.is_autocast_cache_enabled():
        raise RuntimeError(
            "make_graphed_callables does not support the autocast caching. Please set `cache_enabled=False`."
        )
    single = not isinstance(callables, tuple)
    pairs: Sequence[tuple[ModuleOrCallable, tuple[Any, ...]]] = (
        [(callables, sample_args)] if single else list(zip(callables, sample_args))  # type: ignore[arg-type,list-item]
    )
    for function, args in pairs:
        _check(function, args)
    _warm_up(pairs, num_warmup_iters, allow_unused_input)
    pool = graph_pool_handle() if pool is None else pool
    forwards = [_capture_forward(function, args, pool) for function, args in pairs]
    # In the reverse order, in which they will run.
    backwards = [_capture_backward(forward, pool, allow_unused_input) for forward in reversed(forwards)][::-1]
    # Without the autograd graphs of the captures, whose nodes would go on in the streams of the captures.
    forwards = [replace(forward, outputs=tuple(o.detach() for o in forward.outputs)) for forward in forwards]
    graphed = tuple(
        _graphed(function, forward, backward) for (function, _), forward, backward in zip(pairs, forwards, backwards)
    )
    return graphed[0] if single else graphed


@dataclass(frozen=True)
class _Forward:
    """A captured call: its tensors' memory is what each launch reads and writes."""

    graph: MUSAGraph
    arguments: tuple[Tensor, ...]
    inputs: tuple[Tensor, ...]  # the arguments and the module's parameters
    outputs: tuple[Tensor, ...]
    spec: pytree.TreeSpec


@dataclass(frozen=True)
class _Backward:
    """The captured gradients of a call; None for what has none."""

    graph: Optional[MUSAGraph]
    grad_outputs: tuple[Optional[Tensor], ...]
    grad_inputs: tuple[Optional[Tensor], ...]


def _parameters(function: ModuleOrCallable) -> tuple[Tensor, ...]:
    return tuple(function.parameters()) if isinstance(function, torch.nn.Module) else ()


def _check(function: ModuleOrCallable, args: tuple[Any, ...]) -> None:
    if not all(isinstance(leaf, Tensor) for leaf in pytree.tree_leaves(args)):
        raise AssertionError("sample_args for each callable must contain only Tensors. Other types are not allowed.")
    if not isinstance(function, torch.nn.Module):
        return
    if function._backward_hooks or function._forward_hooks or function._forward_pre_hooks:
        raise AssertionError("Modules must not have hooks registered at the time they are passed.")
    if any(buffer.requires_grad for buffer in function.buffers()):
        raise AssertionError("All buffers of a module must have requires_grad=False.")


def _gradients(
    outputs: Sequence[Tensor], inputs: Sequence[Tensor], grad_outputs: Sequence[Optional[Tensor]], allow_unused: bool
) -> tuple[Optional[Tensor], ...]:
    wanted = tuple(tensor for tensor in inputs if tensor.requires_grad)
    given = [(o, grad) for o, grad in zip(outputs, grad_outputs) if grad is not None]
    if not given or not wanted:
        return (None,) * len(inputs)
    found = iter(
        torch.autograd.grad(
            outputs=[output for output, _ in given],
            inputs=wanted,
            grad_outputs=[grad for _, grad in given],
            allow_unused=allow_unused,
        )
    )
    return tuple(next(found) if tensor.requires_grad else None for tensor in inputs)


def _like(outputs: Sequence[Tensor]) -> tuple[Optional[Tensor], ...]:
    return tuple(torch.empty_like(output) if output.requires_grad else None for output in outputs)


def _warm_up(pairs: Sequence[tuple[ModuleOrCallable, tuple[Any, ...]]], times: int, allow_unused: bool) -> None:
    synchronize()
    with StreamContext(Stream()):
        for function, args in pairs:
            inputs = (*pytree.tree_leaves(args), *_parameters(function))
            for _ in range(times):
                outputs = pytree.tree_leaves(function(*args))
                _gradients(outputs, inputs, _like(outputs), allow_unused)
    synchronize()


def _capture_forward(function: ModuleOrCallable, args: tuple[Any, ...], pool: Pool) -> _Forward:
    captured = MUSAGraph()
    with graph(captured, pool=pool):
        result = function(*args)
    outputs, spec = pytree.tree_flatten(result)
    arguments = tuple(pytree.tree_leaves(args))
    return _Forward(captured, arguments, (*arguments, *_parameters(function)), tuple(outputs), spec)


def _capture_backward(forward: _Forward, pool: Pool, allow_unused: bool) -> _Backward:
    grad_outputs = _like(forward.outputs)
    if all(grad is None for grad in grad_outputs) or not any(tensor.requires_grad for tensor in forward.inputs):
        return _Backward(None, grad_outputs, (None,) * len(forward.inputs))
    captured = MUSAGraph()
    with graph(captured, pool=pool):
        grad_inputs = _gradients(forward.outputs, forward.inputs, grad_outputs, allow_unused)
    return _Backward(captured, grad_outputs, grad_inputs)


def _fill(target: Tensor, value: Tensor) -> None:
    if target.data_ptr() != value.data_ptr():
        target.copy_(value)


def _graphed(function: ModuleOrCallable, forward: _Forward, backward: _Backward) -> ModuleOrCallable:
    class Graphed(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, *inputs: Tensor) -> tuple[Tensor, ...]:
            for target, value in zip(forward.arguments, inputs):
                _fill(target, value)
            forward.graph.replay()
            return tuple(output.detach() for output in forward.outputs)  # new ones, for autograd to mark

        @staticmethod
        @torch.autograd.function.once_differentiable
        def backward(ctx: Any, *grads: Tensor) -> tuple[Optional[Tensor], ...]:
            for target, value in zip(backward.grad_outputs, grads):
                if target is not None:
                    _fill(target, value)
            if backward.graph is not None:
                backward.graph.replay()
            return tuple(grad if grad is None else grad.detach() for grad in backward.grad_inputs)

    parameters = _parameters(function)

    def call(*args: Any) -> Any:
        outputs = Graphed.apply(*pytree.tree_leaves(args), *parameters)
        return pytree.tree_unflatten(outputs, forward.spec)

    if not isinstance(function, torch.nn.Module):
        return call
    # As it was when it was captured; in the other mode of training it runs as before.
    training, original = function.training, function.forward

    def in_its_mode(*args: Any) -> Any:
        return call(*args) if function.training == training else original(*args)

    function.forward = in_its_mode  # type: ignore[method-assign]
    return function
