"""Decide what each entry becomes: pure, given the entries and PyTorch's functions.

The rules are those of chapter 6 of torch_musa's manual:

=======================  ===============================================================================
Legacy                   structured, no `dispatch`: PyTorch's own class, whose stub finds our kernel
LegacyMeta               structured, `dispatch` on the out variant: the class is ours, its meta function PyTorch's
Customized               the same with `structured_inherits` or `precomputed`: the meta function is ours, too
Unstructured Legacy      `dispatch` names the function that PyTorch uses on other devices: that one is called
Unstructured Customized  `dispatch` names another function: ours, in `at::musa`
=======================  ===============================================================================
"""

from __future__ import annotations

import dataclasses
import difflib
import enum
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Optional

from torchgen.model import (
    DeviceCheckType,
    DispatchKey,
    NativeFunction,
    NativeFunctionsGroup,
    Precompute,
)

from .entries import KEYS, MAIN_KEY, Entry
from .errors import FunctionsError, Mistake
from .pytorch import Group, PyTorch


class KernelClass(enum.Enum):
    """The kernels and registrations of an entry."""

    LEGACY = "structured Legacy"
    LEGACY_CUDA = "structured Legacy, by a class that a ported kernel defines"
    LEGACY_META = "structured LegacyMeta"
    CUSTOMIZED = "structured Customized"
    UNSTRUCTURED_LEGACY = "unstructured Legacy"
    UNSTRUCTURED_CUSTOMIZED = "unstructured Customized"
    NOTHING = "nothing is registered: PyTorch's own code, or the fallback, serves it"


@dataclass(frozen=True)
class Registration:
    """A function, or a structured group, that gets a kernel.

    Attributes:
        key: The dispatch key.
        group: PyTorch's function or group, with what the entry changes in it.
        kernel: The C++ name.
        namespace: at::native or at::musa.
        kind: What it is.
        base_header: The header beside the file of entries that declares the base class of the meta class, or nothing.
    """

    key: str
    group: Group
    kernel: str
    namespace: str
    kind: KernelClass
    base_header: str = ""

    @property
    def root(self) -> str:
        """Return the name of the function without overload, underscore and _out, as its headers have it."""
        function = self.group if isinstance(self.group, NativeFunction) else self.group.out
        return str(function.root_name)

    @property
    def is_ours(self) -> bool:
        """Return whether this library declares the kernel."""
        return self.namespace == "at::musa"


@dataclass(frozen=True)
class Plan:
    """The code to write.

    Attributes:
        registrations: In the order of PyTorch's functions.
        kinds: What each entry became, by name.
        unknown: Entries that this PyTorch does not have.
    """

    registrations: tuple[Registration, ...]
    kinds: dict[str, KernelClass]
    unknown: tuple[str, ...] = ()


@dataclass
class _Planner:
    pytorch: PyTorch
    entries: dict[str, Entry]
    folder: Path
    mistakes: list[Mistake] = field(default_factory=list)
    registrations: list[Registration] = field(default_factory=list)
    kinds: dict[str, KernelClass] = field(default_factory=dict)

    def wrong(self, entry: Entry, what: str, hint: str = "") -> None:
        self.mistakes.append(Mistake(entry.line, f"{entry.name}: {what}", hint))

    def add(self, group: Group) -> None:
        functions = list(group.functions()) if isinstance(group, NativeFunctionsGroup) else [group]
        listed = [self.entries[str(f.func.name)] for f in functions if str(f.func.name) in self.entries]
        if not listed:
            return
        if isinstance(group, NativeFunctionsGroup) and group.structured:
            out = self.entries.get(str(group.out.func.name))
            if (out is None or out.structured is not False) and not _all_on_their_own(listed, out):
                self._structured(group, listed, out)
                return
            if out is not None and out.structured is False:
                self._require_own_dispatch(listed)
        for function in functions:
            entry = self.entries.get(str(function.func.name))
            if entry is not None:
                self._unstructured(function, entry)

    def _require_own_dispatch(self, listed: list[Entry]) -> None:
        for entry in listed:
            if entry.kernel is None:
                self.wrong(
                    entry,
                    "the out variant says `structured: false`, so each variant needs a kernel of its own",
                    f"add `dispatch: {MAIN_KEY}: NAME`",
                )

    def _structured(self, group: NativeFunctionsGroup, listed: list[Entry], out: Optional[Entry]) -> None:
        out_name = str(group.out.func.name)
        for entry in listed:
            if entry is out:
                continue
            for wrong in ("dispatch" if entry.kernel else "", "structured" if entry.structured is not None else ""):
                if wrong:
                    self.wrong(
                        entry,
                        f"`{wrong}` stands on a variant that delegates to {out_name}",
                        f"write it on {out_name}; or make the group unstructured there: `structured: false`",
                    )
        for function in group.functions():
            listed_here = self.entries.get(str(function.func.name))
            if listed_here is not None:
                self._kernels(function, listed_here, [key for key in listed_here.dispatch if key != MAIN_KEY])
        kernel = out.kernel if out is not None else None
        customized = bool(out is not None and (out.inherits or out.precomputed))
        if out is not None and customized and kernel is None:
            self.wrong(
                out, "structured_inherits and precomputed need a kernel of ours", f"add `dispatch: {MAIN_KEY}: NAME`"
            )
            return
        if kernel is None:
            self._legacy(group, listed)
            return
        assert out is not None
        if not customized:
            self._register(group, listed, kernel, "at::musa", KernelClass.LEGACY_META)
            return
        header = self._base_header(out)
        try:
            changed = _customized(group, out)
        except (AssertionError, RuntimeError, ValueError) as error:  # torchgen's own checks
            self.wrong(
                out, f"precomputed: {str(error).strip() or type(error).__name__}", "write `- ARGUMENT -> TYPE NAME`"
            )
            return
        self._register(changed, listed, kernel, "at::musa", KernelClass.CUSTOMIZED, header)

    def _legacy(self, group: NativeFunctionsGroup, listed: list[Entry]) -> None:
        cuda, cpu = self.pytorch.kernel(DispatchKey.CUDA, group), self.pytorch.kernel(DispatchKey.CPU, group)
        if not cuda:
            self.wrong(listed[0], "PyTorch has no kernel of it for CUDA", f"add `dispatch: {MAIN_KEY}: NAME`")
        elif group.out.ufunc_inner_loop:
            self.wrong(
                listed[0],
                "PyTorch writes its kernel from a ufunc, which this library does not have",
                f"add `dispatch: {MAIN_KEY}: NAME` to {group.out.func.name}",
            )
        else:
            self._register(
                group, listed, cuda, "at::native", KernelClass.LEGACY if cuda == cpu else KernelClass.LEGACY_CUDA
            )

    def _base_header(self, out: Entry) -> str:
        base = out.inherits
        if not base or base.split("::")[-1] in ("MetaBase", "TensorIteratorBase", "TensorIterator"):
            return ""
        header = f"{base.split('::')[-1]}.h"
        if not (self.folder / header).is_file():
            self.wrong(
                out,
                f"structured_inherits: {base} is not PyTorch's",
                f"declare it in {header}, beside the file of entries",
            )
        return header

    def _unstructured(self, function: NativeFunction, entry: Entry) -> None:
        for wrong in ("structured_inherits" if entry.inherits else "", "precomputed" if entry.precomputed else ""):
            if wrong:
                self.wrong(entry, f"`{wrong}` belongs to structured functions", "remove it, or write `none`")
        if entry.structured:
            self.wrong(entry, "PyTorch's function is not structured", "remove `structured: true`")
        if not entry.dispatch:
            self.kinds[entry.name] = KernelClass.NOTHING
        self._kernels(function, entry, entry.dispatch)

    def _kernels(self, function: NativeFunction, entry: Entry, keys: Iterable[str]) -> None:
        """Register a function on its own for some keys. For all keys but the main one, that is what it is."""
        plain = _unstructured(function, entry)
        for key in keys:
            kernel = entry.dispatch[key]
            shared = kernel in self._names_of_pytorch(function, key)
            kind = KernelClass.UNSTRUCTURED_LEGACY if shared else KernelClass.UNSTRUCTURED_CUSTOMIZED
            self._register(plain, [entry], kernel, "at::native" if shared else "at::musa", kind, key=key)

    def _names_of_pytorch(self, function: NativeFunction, key: str) -> Iterable[str]:
        """Return PyTorch's names of its kernels for the keys beside ours."""
        suffixes = ("CPU", "CUDA")
        prefix = key[: -len(MAIN_KEY)]
        keys = [getattr(DispatchKey, prefix + suffix, None) for suffix in suffixes]
        if prefix in ("", "Autograd"):
            keys += [DispatchKey.CompositeImplicitAutograd, DispatchKey.CompositeExplicitAutograd]
        return [name for each in keys if each is not None and (name := self.pytorch.kernel(each, function))]

    def _register(
        self,
        group: Group,
        listed: list[Entry],
        kernel: str,
        namespace: str,
        kind: KernelClass,
        base_header: str = "",
        key: str = MAIN_KEY,
    ) -> None:
        assert key in KEYS
        if not kernel.replace("_", "a").isalnum() or kernel[0].isdigit():
            self.wrong(listed[0], f"{kernel!r} is no name of a C++ function", "write one without namespace")
            return
        self.registrations.append(Registration(key, group, kernel, namespace, kind, base_header))
        self.kinds.update({entry.name: kind for entry in listed})


def plan(file: Path, entries: Iterable[Entry], pytorch: PyTorch, skip_unknown: bool = False) -> Plan:
    """Return the code to write for the entries of a file.

    Args:
        file: For messages, and for headers of base classes beside it.
        entries: Its entries.
        pytorch: PyTorch's functions.
        skip_unknown: Leave out entries that this PyTorch does not have, and list them.

    Raises:
        FunctionsError: The entries contradict PyTorch's functions, or each other.
    """
    by_name = {entry.name: entry for entry in entries}
    unknown = [entry for entry in by_name.values() if entry.name not in pytorch.functions]
    planner = _Planner(pytorch, by_name, file.parent)
    if not skip_unknown:
        for entry in unknown:
            close = difflib.get_close_matches(entry.name, pytorch.functions, 3)
            planner.wrong(entry, "PyTorch has no such function", f"similar: {', '.join(close)}" if close else "")
    for group in pytorch.groups:
        planner.add(group)
    if planner.mistakes:
        raise FunctionsError(file, planner.mistakes)
    return Plan(tuple(planner.registrations), planner.kinds, tuple(entry.name for entry in unknown))


def _all_on_their_own(listed: list[Entry], out: Optional[Entry]) -> bool:
    """Return whether an out variant is not listed, and all others name kernels: they are independent then."""
    return out is None and all(entry.dispatch for entry in listed)


def _customized(group: NativeFunctionsGroup, out: Entry) -> NativeFunctionsGroup:
    """Return a group whose meta class is ours."""
    precomputed = Precompute.parse(list(out.precomputed)) if out.precomputed else None
    arguments = [argument.name for argument in group.out.func.arguments.flat_non_out]
    for name in precomputed.replace if precomputed is not None else ():
        if name not in arguments:
            raise ValueError(f"{name!r} is no argument of the function, which has {', '.join(arguments)}")
    changed = dataclasses.replace(
        group.out,
        structured_inherits=out.inherits or None if out.inherits is not None else group.out.structured_inherits,
        precomputed=precomputed,
    )
    return dataclasses.replace(group, out=changed)


def _unstructured(function: NativeFunction, entry: Entry) -> NativeFunction:
    """Return the function on its own, with the entry's check and guard."""
    check = DeviceCheckType[entry.device_check] if entry.device_check is not None else function.device_check
    guard = entry.device_guard if entry.device_guard is not None else function.device_guard
    return dataclasses.replace(
        function,
        structured=False,
        structured_delegate=None,
        structured_inherits=None,
        precomputed=None,
        ufunc_inner_loop={},
        device_check=check,
        device_guard=guard,
    )
