"""The long way of `build_ext`: torch's BuildExtension decides every command, once, and the commands become a plan.

extension.py loads this only when a graph has to be made: what it imports, torch above all, takes longer than a build
with nothing to do.
"""

from __future__ import annotations

import copy
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Optional

from ..environment.torch_info import IMPORT_FAILURES, torch_not_found
from ..errors import SettingError
from ..toolchain.compile_flags import CompileFlags
from .plan import object_path
from .recorder import record
from .session import BuildSession
from .spec import ExtensionSpec, check_sources


class SetuptoolsRecorder:
    """One run of build_ext over `declared` extensions; `for_torch` says which of them are MUSAExtensions, `jobs` is its
    -j. Raises what BuildSession raises."""

    def __init__(
        self, declared: Sequence[Any], for_torch: Sequence[bool], jobs: Optional[int], keep_going: bool = False
    ) -> None:
        requests = [_request(extension, torch) for extension, torch in zip(declared, for_torch)]
        self._requests = {request.name: request for request in requests}
        self.session = BuildSession(requests, jobs, keep_going)

    def prepared(self, declared: Any) -> Any:
        """A copy of an extension as torch's BuildExtension should see it: the caller may build the same object twice,
        and torch adds its flags to what it gets."""
        request = self._requests[declared.name]
        ext = copy.deepcopy(declared)
        ext.extra_compile_args = {"cxx": list(request.flags.cxx), "mcc": list(request.flags.mcc)}
        # Absolute, for compilers print and debuggers keep what -I says.
        ext.include_dirs = [str(Path(place).absolute()) for place in ext.include_dirs]
        ext.sources = [source for source in request.sources if not _hidden_from_torch(source)]
        if request.for_torch:
            needs = self.session.needs(request)
            ext.include_dirs = [*ext.include_dirs, *needs.include_dirs]
            ext.library_dirs = [*ext.library_dirs, *needs.library_dirs]
            ext.libraries = [*ext.libraries, *needs.libraries]
            ext.runtime_library_dirs = [*ext.runtime_library_dirs, *needs.run_paths]
        return ext

    def plan(self, ext: Any, compiler: Any, build_temp: str, build: Callable[[Any], None]) -> None:
        """Records what `build` (torch's and setuptools' build_extension) has `compiler` do for a prepared extension."""
        declared = self._requests[ext.name]
        ext.sources = [*ext.sources, *filter(_hidden_from_torch, declared.sources)]
        # A project's own build_extension() may have added some before it called ours.
        request = replace(declared, sources=tuple(ext.sources))
        check_sources(request)
        directory = f"{build_temp}/{ext.name}"
        with record(
            compiler,
            forced=request.forced,
            object_name=lambda source: object_path(source, directory, str(Path.cwd())),
        ) as recording:
            build(ext)
        self.session.add(request, recording, directory)


@contextmanager
def derived_from_torch(command: Any) -> Iterator[None]:
    """While active, `command` is of a class that also derives from torch's BuildExtension, so that `super()` in its own
    class means torch's. Raises TorchNotFoundError."""
    try:
        from torch.utils.cpp_extension import BuildExtension as TorchBuildExtension
    except IMPORT_FAILURES as error:
        raise torch_not_found(error) from error
    own = type(command)
    command.__class__ = type(own.__name__, (own, TorchBuildExtension), {})
    try:
        yield
    finally:
        command.__class__ = own


def _request(extension: Any, for_torch: bool) -> ExtensionSpec:
    """An extension as a value. Raises SettingError."""
    for key in getattr(extension, "mistakes", ()):
        what, (value,) = f"{extension.name}: {key} is not a list", getattr(extension, key)
        raise SettingError(what, found=repr(value), wanted="a list", hint=f"write {key}=[{value!r}]")
    for macro in extension.define_macros or ():
        if not (isinstance(macro, tuple) and len(macro) in (1, 2)):
            raise SettingError(
                f"{extension.name}: define_macros holds what is no pair",
                found=repr(macro),
                wanted='("NAME", "value"), or ("NAME", None)',
                hint=f"write define_macros=[({macro!r}, None)]" if isinstance(macro, str) else "",
            )
    sources = tuple(map(os.fspath, extension.sources))
    flags = CompileFlags.parse(extension.extra_compile_args, extension.name, sources)
    if getattr(extension, "dlink", False):
        libraries = [f"-l{library}" for library in extension.dlink_libraries]
        places = [f"-L{place}" for place in extension.library_dirs]
        flags = replace(flags, device_link=(*(flags.device_link or ()), *places, *libraries))
    return ExtensionSpec(
        name=extension.name,
        sources=sources,
        flags=flags,
        depends=tuple(map(os.fspath, extension.depends or ())),
        for_torch=for_torch,
        arch=getattr(extension, "arch", None),
        force_mcc=tuple(getattr(extension, "force_mcc", ())),
        limited_api=bool(getattr(extension, "py_limited_api", False)),
        optional=bool(extension.optional),
    )


def _hidden_from_torch(source: str) -> bool:
    """torch asks for a CUDA toolkit as soon as it sees a .cu, so it sees none until it has looked."""
    return Path(source).suffix == ".cu"
