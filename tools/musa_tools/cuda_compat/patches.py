"""Replaced attributes, and the way back."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch

from .translation import Translations, asked_by_torch

_ABSENT = object()


class Patches:
    """Sets attributes of objects that are not ours, and restores them in the opposite order."""

    def __init__(self) -> None:
        self._old: list[tuple[Any, str, Any]] = []

    def set(self, owner: Any, name: str, value: Any) -> None:
        """Set an attribute. One that was inherited becomes inherited again later."""
        self._old.append((owner, name, vars(owner).get(name, _ABSENT)))
        setattr(owner, name, value)

    def restore(self) -> None:
        """Put everything back."""
        while self._old:
            owner, name, value = self._old.pop()
            if value is _ABSENT:
                delattr(owner, name)
            else:
                setattr(owner, name, value)


class Mode(torch.overrides.TorchFunctionMode):
    """Translates devices in the arguments of PyTorch's functions, torch.device() among them."""

    def __init__(self, translations: Translations) -> None:
        super().__init__()
        self._translations = translations

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if func is not torch.einsum:
            device = self._translations.device
            args = tuple(device(each) if isinstance(each, (str, torch.device)) else each for each in args)
            kwargs = {
                name: device(each) if isinstance(each, (str, torch.device)) else each for name, each in kwargs.items()
            }
        return func(*args, **kwargs)


def patch_tensors(patches: Patches, translations: Translations) -> None:
    """Let `x.cuda()`, `module.cuda()` and `x.is_cuda` mean MUSA."""
    for owner, name in ((torch.Tensor, "Tensor"), (torch.nn.Module, "Module")):
        patches.set(owner, "cuda", _moving(owner, name, translations))
    real = torch.Tensor.is_cuda

    def is_cuda(self: torch.Tensor) -> bool:
        if asked_by_torch():
            return bool(real.__get__(self))  # type: ignore[attr-defined]
        translations.count("Tensor.is_cuda", "Tensor.is_musa")
        return self.device.type in ("cuda", "musa")

    patches.set(torch.Tensor, "is_cuda", property(is_cuda))


def _moving(owner: Any, name: str, translations: Translations) -> Callable[..., Any]:
    def cuda(self: Any, device: Any = None, *args: Any, **kwargs: Any) -> Any:
        translations.count(f"{name}.cuda", f"{name}.musa")
        return self.musa(translations.device(device), *args, **kwargs)

    return functools.wraps(owner.cuda)(cuda)


def patch_functions(patches: Patches, translations: Translations) -> None:
    """Translate the calls that no mode sees: autocast, GradScaler, torch.load, Generator, process groups."""
    for owner in (torch.amp.autocast_mode.autocast, torch.amp.GradScaler):
        patches.set(owner, "__init__", _with_device_first(owner.__init__, translations))
    for name in ("custom_fwd", "custom_bwd"):
        patches.set(torch.amp, name, _with_device_keyword(getattr(torch.amp, name), translations))
    patches.set(torch, "load", _loading(torch.load, translations))
    patches.set(torch, "Generator", _generator(torch.Generator, translations))
    if torch.distributed.is_available():
        for module in (torch.distributed, torch.distributed.distributed_c10d):
            for name in ("init_process_group", "new_group"):
                patches.set(module, name, _with_backend(getattr(module, name), translations))
            patches.set(module, "is_nccl_available", _mccl_available)


def _with_device_first(real: Callable[..., None], translations: Translations) -> Callable[..., None]:
    @functools.wraps(real)
    def initialise(self: Any, *args: Any, **kwargs: Any) -> None:
        if args:
            args = (translations.device(args[0]), *args[1:])
        for name in ("device", "device_type"):
            if name in kwargs:
                kwargs[name] = translations.device(kwargs[name])
        if not args and not kwargs.keys() & {"device", "device_type"}:
            kwargs["device"] = translations.device("cuda")  # GradScaler's default
        real(self, *args, **kwargs)

    return initialise


def _with_device_keyword(real: Callable[..., Any], translations: Translations) -> Callable[..., Any]:
    @functools.wraps(real)
    def decorate(*args: Any, **kwargs: Any) -> Any:
        if "device_type" in kwargs:
            kwargs["device_type"] = translations.device(kwargs["device_type"])
        return real(*args, **kwargs)

    return decorate


def _with_backend(real: Callable[..., Any], translations: Translations) -> Callable[..., Any]:
    @functools.wraps(real)
    def grouped(*args: Any, **kwargs: Any) -> Any:
        args = tuple(translations.backend(each) for each in args)
        kwargs = {name: translations.backend(each) for name, each in kwargs.items()}
        return real(*args, **kwargs)

    return grouped


def _mccl_available() -> bool:
    """Whether the backend that replaces nccl is available."""
    return torch.distributed.is_available() and "mccl" in torch.distributed.Backend.backend_list


def _loading(real: Callable[..., Any], translations: Translations) -> Callable[..., Any]:
    @functools.wraps(real)
    def load(f: Any, map_location: Any = None, *args: Any, **kwargs: Any) -> Any:
        return real(f, _location(map_location, translations), *args, **kwargs)

    return load


def _location(value: Any, translations: Translations) -> Any:
    """Return a map_location: a file written on CUDA is read to MUSA, unless the caller says otherwise."""
    if value is None:
        restore: Any = torch.serialization.default_restore_location
        return lambda storage, location: restore(storage, translations.device(location))
    if isinstance(value, dict):
        return {**{translations.device(old): translations.device(new) for old, new in value.items()}, **{
            old: translations.device(new) for old, new in value.items()
        }}  # fmt: skip
    return translations.device(value)


def _generator(real: Any, translations: Translations) -> Any:
    class Meta(type):
        def __call__(cls, device: Any = "cpu") -> Any:
            return real(translations.device(device))

        def __instancecheck__(cls, instance: Any) -> bool:
            return isinstance(instance, real)

    return Meta("Generator", (), {"__doc__": real.__doc__, "__module__": "torch"})
