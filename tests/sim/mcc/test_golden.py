"""The surgery on IR, held against what both supported clangs really write (golden/, made by make_golden.sh).

The expected text is kept beside the IR: a new clang that writes something else shows as a difference here first.
`python tests/sim/mcc/test_golden.py` writes the expectations anew.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from musa_sim.mcc.host import embed, read_kernels
from musa_sim.mcc.image.link import version_script
from musa_sim.mcc.ir.module import Module
from musa_sim.mcc.kernel import Passing
from musa_sim.mcc.passes import context, coroutines, managed
from musa_sim.mcc.passes.complete import complete
from musa_sim.mcc.passes.launches import copy_classes
from musa_sim.mcc.passes.prepare import DeviceModule, prepare
from musa_sim.mcc.runtime_abi.names import CONTEXT

GOLDEN = Path(__file__).with_name("golden")
CLANGS = sorted(path.name for path in GOLDEN.iterdir() if path.is_dir())


def surgery(clang: str) -> str:
    """Everything that mcc adds to or changes in the two modules, as text."""
    host = Module.parse((GOLDEN / clang / "host.ll").read_text())
    device = Module.parse((GOLDEN / clang / "device.ll").read_text())
    stubs = read_kernels(host)
    copied = copy_classes(device, stubs)
    shared_host, shared = managed.share(host, {device: copied}, with_host=True)
    made = prepare(shared[device], stubs)
    module, kernels = made.ir, made.kernels
    before = set(device.text.splitlines())
    variable = f"@{CONTEXT} = "  # its size is the runtime's affair
    changed = [line for line in module.text.splitlines() if line not in before and not line.startswith(variable)]
    cut, taken = coroutines.coroutines(module, kernels, int(clang))
    parts = {
        "kernels": [f"{stub.name}: {[argument_text(a) for a in stub.arguments]}" for stub in stubs],
        "parameters": [f"{stub.name}: {list(stub.parameter_types)}" for stub in stubs],
        "changed lines of the device module": changed,
        "entries": [context.entry(kernel) for kernel in kernels],
        "argument sizes": [context.argument_sizes(kernel, {"ptr": 8}) for kernel in kernels],
        "shared variables": [f"{n}: {k}" for n, k in module.shared_variables.items()],
        "exports": [version_script(made.variables)],
        "launch bounds": [launch_bounds(module, made)],
        "changed lines of the host module": [
            line for line in shared_host.text.splitlines() if line not in set(host.text.splitlines())
        ],
        "coroutines": [each.kernel.name for each in taken] + [cut.text.removeprefix(module.text)],
        "host names": sorted(
            {word for word in embed(host, b"\x00a").text.split() if word.startswith(("@__musa", "@musa"))}
        ),
    }
    return "".join(f"=== {title}\n" + "\n".join(lines).rstrip() + "\n\n" for title, lines in parts.items())


def launch_bounds(module: Module, made: DeviceModule) -> str:
    """The constants that libmusart reads."""
    text = complete(module, made, shared_bytes={}, sizes={}, library_directories=None).text
    return "".join(line for line in text.splitlines(keepends=True) if line.startswith("@__musa_sim_launch_bounds_"))


def argument_text(argument: object) -> str:
    parameter, offset, passing = (getattr(argument, name) for name in ("parameter", "offset", "passing"))
    assert isinstance(passing, Passing)
    return f"{parameter}+{offset} {passing.name.lower()}"


@pytest.mark.parametrize("clang", CLANGS)
def test_surgery_is_what_it_was(clang: str) -> None:
    assert surgery(clang) == (GOLDEN / clang / "expected.txt").read_text()


def test_both_clangs_pass_arguments_alike() -> None:
    stubs = [read_kernels(Module.parse((GOLDEN / clang / "host.ll").read_text())) for clang in CLANGS]
    assert len(CLANGS) == 2
    assert [stub.arguments for stub in stubs[0]] == [stub.arguments for stub in stubs[1]]
    shared, _, many = stubs[0]
    assert len(many.parameter_types) == 10
    # the empty functor has an element of the launch's array and no register
    assert {argument.parameter for argument in many.arguments} == set(range(10)) - {1}
    assert len(shared.arguments) == 2


if __name__ == "__main__":
    for name in CLANGS:
        (GOLDEN / name / "expected.txt").write_text(surgery(name))
