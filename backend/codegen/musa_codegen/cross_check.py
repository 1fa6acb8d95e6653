"""Do the entries and the compiled sources fit? What does not would fail at a call, or never be used."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Set
from dataclasses import dataclass

from torchgen.model import DispatchKey, NativeFunction

from .dispatch_stubs import DispatchStubs
from .entries import MAIN_KEY, Entry
from .errors import Mistake
from .plan import KernelClass, Plan, Registration
from .pytorch import PyTorch

_CALLS_STUBS = (KernelClass.LEGACY, KernelClass.UNSTRUCTURED_LEGACY)


@dataclass(frozen=True)
class Compiled:
    """The registrations and stubs in compiled sources.

    Attributes:
        registers: The stubs that they register a kernel in.
        calls: The stubs that they call themselves.
        undefined: Functions of at::musa and at::native that they use and do not define.
    """

    registers: Set[str]
    calls: Set[str]
    undefined: Collection[str] = ()


def contradictions(
    made: Plan, entries: Collection[Entry], pytorch: PyTorch, stubs: DispatchStubs, compiled: Compiled
) -> list[Mistake]:
    """Return the differences.

    Args:
        made: What the entries became.
        entries: The entries.
        pytorch: PyTorch's functions.
        stubs: What PyTorch's functions call.
        compiled: What the sources have.
    """
    by_name = {entry.name: entry for entry in entries}
    return [
        *_without_kernel(made, by_name, stubs, compiled),
        *_without_entry(by_name, pytorch, stubs, compiled),
        *_without_definition(made, by_name, compiled),
    ]


def _without_kernel(
    made: Plan, by_name: Mapping[str, Entry], stubs: DispatchStubs, compiled: Compiled
) -> list[Mistake]:
    """Return the entries whose function of PyTorch would find no kernel in its stub."""
    found = []
    for each in made.registrations:
        wanted = stubs.by_function.get(each.kernel, frozenset())
        if each.key == MAIN_KEY and each.kind in _CALLS_STUBS and wanted and not wanted & compiled.registers:
            entry = _entry(each, by_name)
            what = f"{entry.name}: PyTorch's function calls {_listed(wanted)}, in which no source registers a kernel"
            hint = f"write REGISTER_PRIVATEUSE1_DISPATCH({min(wanted)}, &...) in a source, or remove the entry"
            found.append(Mistake(entry.line, what, hint))
    return found


def _without_entry(
    by_name: Mapping[str, Entry], pytorch: PyTorch, stubs: DispatchStubs, compiled: Compiled
) -> list[Mistake]:
    """Return the stubs whose kernel no code would call: PyTorch's functions that do are the CPU's, without an entry."""
    found = []
    composites = _composites(pytorch)
    for stub in sorted(compiled.registers - compiled.calls):
        callers = [
            name
            for name, function in pytorch.functions.items()
            if pytorch.kernel(DispatchKey.CPU, function) in stubs.callers(stub)
        ]
        if (
            callers
            and not composites & stubs.callers(stub)
            and not any(_variants(name, pytorch) & set(by_name) for name in callers)
        ):
            what = f"a source registers a kernel in {stub}, but there is no entry of a function that calls it"
            found.append(Mistake(1, what, f"add `- func: NAME` for: {', '.join(sorted(callers))}"))
    return found


def _without_definition(made: Plan, by_name: Mapping[str, Entry], compiled: Compiled) -> list[Mistake]:
    """Return the entries whose kernel is declared, but not defined."""
    found = []
    for each in made.registrations:
        names = {f"{each.namespace}::{each.kernel}", f"{each.namespace}::structured_{each.kernel}::impl"}
        names |= {f"{each.namespace}::{each.kernel}::impl", f"{each.namespace}::structured_{each.kernel}::meta"}
        if each.kind in _CALLS_STUBS or not names & set(compiled.undefined):
            continue
        entry = _entry(each, by_name)
        lacking = _listed(names & set(compiled.undefined))
        hint = "define it in csrc/aten/ops/*.cpp or csrc/aten/ops/musa/*.mu, with the arguments of the generated header"
        found.append(Mistake(entry.line, f"{entry.name}: no source defines {lacking}", hint))
    return found


def _entry(each: Registration, by_name: Mapping[str, Entry]) -> Entry:
    functions = [each.group] if isinstance(each.group, NativeFunction) else list(each.group.functions())
    listed = [by_name[name] for name in (str(function.func.name) for function in functions) if name in by_name]
    with_kernel = [entry for entry in listed if entry.kernel == each.kernel]
    return (with_kernel or listed)[0]


def _variants(name: str, pytorch: PyTorch) -> set[str]:
    """Return the functions that share a function's structured kernel, itself included."""
    for group in pytorch.groups:
        if not isinstance(group, NativeFunction):
            names = {str(function.func.name) for function in group.functions()}
            if name in names:
                return names
    return {name}


def _composites(pytorch: PyTorch) -> set[str]:
    """Return the kernels of PyTorch's functions that serve every device: they need no entry."""
    keys = (DispatchKey.CompositeImplicitAutograd, DispatchKey.CompositeExplicitAutograd)
    return {pytorch.kernel(key, function) for key in keys for function in pytorch.functions.values()}


def _listed(names: Collection[str]) -> str:
    return " or ".join(sorted(names))
