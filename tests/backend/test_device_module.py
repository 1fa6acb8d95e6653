"""torch.musa as PyTorch's device-generic code sees it: names that it asks of `getattr(torch, device.type)`."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from .conftest import IS_OLDER_TORCH, PROGRAMS, RunPython

TORCH = Path(torch.__file__).parent
OTHER_DEVICES = ("cuda", "xpu", "mps", "mtia", "cpu")
ASKING = {"get_device_module", "_get_device_module"}
CALLED_SO = {"device_module", "custom_device_mod", "device_handle", "_device_handle", "device_mod"}
ASKED_BY = ASKING | CALLED_SO | {"getattr(torch", "_get_device_attr", "_get_custom_mod_func"}
NOT_OURS = {
    **dict.fromkeys(
        ("Scheduling", "PythonWrapperCodegen", "CppWrapperCodegen", "WrapperFxCodegen"),
        "code generators of inductor, which has no backend for musa",
    ),
    **dict.fromkeys(("set_rng_ctx", "unset_rng_ctx"), "asked of hpu alone"),
}


def is_device_module(node: ast.expr, variables: set[str]) -> bool:
    """Return True if an expression is a device's module: `getattr(torch, device.type)` or a variable that holds one."""
    if isinstance(node, ast.Name):
        return node.id in variables
    if isinstance(node, ast.Attribute):
        return node.attr in CALLED_SO
    if not isinstance(node, ast.Call):
        return False
    called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if called == "getattr" and len(node.args) >= 2:
        owner, name = node.args[:2]
        return isinstance(owner, ast.Name) and owner.id == "torch" and asks_for_a_device(name)
    return called in ASKING


def asks_for_a_device(name: ast.expr) -> bool:
    words = {getattr(node, "id", getattr(node, "attr", "")) for node in ast.walk(name)}
    return any("device" in word or "backend" in word for word in words)


def variables_of(function: ast.AST) -> set[str]:
    """Return the names by which a function calls a device's module."""
    found = set(CALLED_SO)
    for node in ast.walk(function):
        if isinstance(node, (ast.Assign, ast.NamedExpr)) and is_device_module(node.value, set()):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found |= {target.id for target in targets if isinstance(target, ast.Name)}
    return found


def strings_of(function: ast.AST) -> dict[str, str]:
    """Return the variables of a function that are a constant string."""
    return {
        target.id: node.value.value
        for node in ast.walk(function)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        for target in node.targets
        if isinstance(target, ast.Name)
    }


def names_asked(tree: ast.Module) -> Iterator[str]:
    functions = [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    for function in functions:
        variables, strings = variables_of(function), strings_of(function)
        for node in ast.walk(function):
            if isinstance(node, ast.Attribute) and is_device_module(node.value, variables):
                yield node.attr
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args:
                if node.func.id in ("getattr", "hasattr") and is_device_module(node.args[0], variables):
                    name = node.args[1]
                    if isinstance(name, (ast.Constant, ast.Name)):
                        yield name.value if isinstance(name, ast.Constant) else strings.get(name.id, "")
                elif node.func.id == "_get_custom_mod_func" and isinstance(node.args[0], ast.Constant):
                    yield node.args[0].value
                elif node.func.id == "_get_device_attr" and isinstance(node.args[0], ast.Lambda):
                    yield from (part.attr for part in ast.walk(node.args[0]) if isinstance(part, ast.Attribute))


def trees() -> Iterator[tuple[str, ast.Module]]:
    for path in sorted(TORCH.rglob("*.py")):
        file = path.relative_to(TORCH)
        text = path.read_text(encoding="utf-8")
        if file.parts[0] in OTHER_DEVICES or not any(word in text for word in ASKED_BY):
            continue
        try:
            yield str(file), ast.parse(text)
        except SyntaxError:  # of a newer Python than this one
            continue


@pytest.mark.slow
def test_every_name_that_pytorch_asks_for_is_there() -> None:
    asked: dict[str, set[str]] = defaultdict(set)
    for file, tree in trees():
        for name in names_asked(tree):
            asked[name].add(file)
    asked.pop("", None)
    assert {"_initialized", "_is_in_bad_fork", "current_device", "get_rng_state", "Stream"} <= set(asked), (
        "the search finds nothing any more"
    )
    missing = {name: sorted(files) for name, files in asked.items() if not hasattr(torch.musa, name)}
    assert missing.keys() - NOT_OURS.keys() == set(), missing
    assert (IS_OLDER_TORCH or NOT_OURS.keys() <= asked.keys()) and not any(
        hasattr(torch.musa, name) for name in NOT_OURS
    )


FIRST_USES = {
    "a tensor": "torch.ones(1, device='musa')",
    "a copy": "torch.ones(1).to('musa')",
    "a stream": "torch.Stream('musa')",
    "the current device": "torch.musa.current_device()",
    "a loaded tensor": "torch.load(io.BytesIO(saved), map_location='musa')",
    "init": "torch.musa.init()",
}


def test_initialized_is_true_after_the_first_use_and_not_before(run_python: RunPython) -> None:
    done = run_python(PROGRAMS / "first_uses.py", *FIRST_USES.values())
    assert done.stdout == "1 1 True\n" + "0 " * len(FIRST_USES) + "7\n", done.stderr


def test_device_index() -> None:
    index = torch.musa._utils._get_device_index
    assert [index(0), index("musa:0"), index(torch.device("musa:0")), index("cpu", allow_cpu=True)] == [0, 0, 0, -1]
    assert [index(None, optional=True), index("musa", optional=True)] == [0, 0]
    for wrong in (None, "musa", "cpu"):
        with pytest.raises(ValueError, match="Expected a musa device"):
            index(wrong)


def test_a_context_manager_names_its_device() -> None:
    """As in torch.cuda."""
    device = torch.musa.device(0)
    assert torch.musa.get_device_capability(device) == torch.musa.get_device_capability(0)
    assert torch.musa.memory_allocated(torch.musa.device(None)) == torch.musa.memory_allocated()
    assert torch.musa._utils._get_device_index(device) == 0
    with torch.musa.device(device):
        assert torch.musa.current_device() == 0


def test_private_functions_have_the_names_of_torch_musa() -> None:
    private = torch.musa._MUSAC
    assert private._musa_getDeviceCount() == torch.musa.device_count()
    private._musa_setDevice(0)
    assert (private._musa_getDevice(), private._musa_maybeExchangeDevice(-1)) == (0, -1)
    stream = torch.musa.Stream()
    with torch.musa.stream(stream):
        assert private._musa_getCurrentRawStream(0) == stream.musa_stream
    assert private._musa_getCurrentRawStream(0) == torch.musa.current_stream().musa_stream
    private._musa_synchronize()


def test_generator_is_the_one_that_operators_draw_from() -> None:
    generator = torch.musa._get_generator(torch.device("musa"))
    generator.manual_seed(4)
    first = torch.rand(3, device="musa")
    generator.manual_seed(4)
    assert torch.equal(torch.rand(3, device="musa"), first) and generator.get_offset() > 0


def test_sleep_keeps_the_stream_busy_and_not_the_program() -> None:
    stream = torch.musa.Stream()
    with torch.musa.stream(stream):
        torch.musa._sleep(300_000_000)
    assert not stream.query()
    stream.synchronize()
    assert stream.query()


@pytest.mark.slow
def test_fake_tensors_are_on_the_current_device(run_python: RunPython) -> None:
    code = PROGRAMS / "fake_tensor_of_the_second_device.py"
    assert run_python(code, MUSA_SIM_DEVICES="2").stdout == "musa:1\n"


def test_new_memory_is_filled_if_algorithms_must_be_deterministic() -> None:
    """As on the CPU: unwritten memory is NaN, or the type's greatest number."""

    def made(device: str) -> list[torch.Tensor]:
        dtypes = (torch.float32, torch.bfloat16, torch.int16, torch.bool, torch.complex64)
        tensors = [torch.empty(5, dtype=dtype, device=device) for dtype in dtypes]
        tensors += [torch.empty_strided((2, 2), (1, 2), device=device), torch.empty_like(tensors[0])]
        tensors += [tensors[0].new_empty(3), torch.zeros(2, device=device).resize_(4)]
        return [tensor.cpu() for tensor in tensors]

    torch.use_deterministic_algorithms(True)
    try:
        torch.testing.assert_close(made("musa"), made("cpu"), equal_nan=True, rtol=0, atol=0)
    finally:
        torch.use_deterministic_algorithms(False)


def test_saved_tensors_find_their_device(run_python: RunPython) -> None:
    done = run_python(PROGRAMS / "saved_on_two_devices.py", MUSA_SIM_DEVICES="2")
    assert done.stdout == "musa:1 musa:0 musa:0 cpu musa:0 musa:0\nmusa:1 musa:1\nTrue\n", done.stderr


def test_autocast_is_that_of_a_gpu() -> None:
    assert torch.amp.is_autocast_available("musa") and not torch.is_autocast_enabled("musa")
    x = torch.ones(2, 2, device="musa")
    with torch.autocast("musa"):
        assert torch.is_autocast_enabled("musa") and not torch.is_autocast_enabled("cpu")
        assert ((x @ x).dtype, x.softmax(0).dtype, (x + x).dtype) == (torch.float16, torch.float32, torch.float32)
        with torch.autocast("musa", enabled=False):
            assert (x @ x).dtype == torch.float32
    with pytest.warns(UserWarning, match="only supports dtypes of torch.float16, torch.bfloat16"):
        torch.autocast("musa", dtype=torch.float32)
