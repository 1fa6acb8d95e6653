"""One run of build_ext: record the commands of each extension, plan them, build one graph."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional

from ..errors import SettingError
from ..logger_util import LOGGER
from .context import BuildContext
from .graph import PACKAGES, ProjectGraph, build_without_ninja
from .plan import BuildPlan, Toolchains, join, object_path, plan_extension, raised_standards
from .recorder import record
from .spec import ExtensionSpec, check_sources, extension_requirements, is_musa

if TYPE_CHECKING:
    from .incremental import Fingerprint
    from .machine import Machine


class BuildSession:
    """Collect the plans of a project's extensions and build them.

    Creating a session finds SDK, torch and compilers.

    Args:
        machine: The machine that builds.
        declared: setuptools' Extension objects.
        for_torch: Whether each of them is a MUSAExtension.
        jobs: The number after `build_ext -j`, if any.
        keep_going: Compile the other files after a failure.

    Raises:
        SettingError: Two extensions have the same name.
        MusaBuildError: As `BuildContext.find`.
    """

    def __init__(
        self,
        machine: Machine,
        declared: Sequence[Any],
        for_torch: Sequence[bool],
        jobs: Optional[int] = None,
        keep_going: bool = False,
    ) -> None:
        specs = [
            ExtensionSpec.of(extension, for_torch=torch, mcc_version=machine.mcc_version)
            for extension, torch in zip(declared, for_torch)
        ]
        names = [spec.name for spec in specs]
        for name in names:
            if names.count(name) > 1:
                raise SettingError("two extensions have the same name", found=name, wanted="a unique name for each")
        self._specs = dict(zip(names, specs))
        self._context = BuildContext.find(machine, specs)
        # A build of torch_musa itself does not use the installed one, which it replaces.
        own = any(name.startswith("torch_musa.") for name in names)
        self._graph = ProjectGraph(self._context, ("torch",) if own else PACKAGES, jobs, keep_going)
        self._plans: list[tuple[BuildPlan, bool]] = []  # and whether the extension is optional

    @property
    def cxx(self) -> tuple[str, ...]:
        """The C++ compiler."""
        return self._context.cxx.command

    @property
    def plans(self) -> tuple[BuildPlan, ...]:
        """The plans of the extensions that were recorded so far."""
        return tuple(plan for plan, _ in self._plans)

    def set_plans(self, plans: Sequence[BuildPlan]) -> None:
        """Replace `plans` by as many others."""
        self._plans = [(plan, optional) for plan, (_, optional) in zip(plans, self._plans)]

    def extension_for_torch(self, declared: Any) -> Any:
        """Return a copy of an extension to pass to torch's BuildExtension.

        It is a copy because torch adds its flags to it, and the caller may build the same object twice.
        """
        spec = self._specs[declared.name]
        ext = copy.deepcopy(declared)
        ext.extra_compile_args = {"cxx": list(spec.flags.cxx), "mcc": list(spec.flags.mcc)}
        # Absolute, because compilers print these paths and debuggers keep them.
        ext.include_dirs = [str(Path(directory).absolute()) for directory in ext.include_dirs]
        ext.sources = [source for source in spec.sources if not _is_hidden_from_torch(source)]
        if spec.for_torch:
            found = (self._context.torch, self._context.torch_musa, self._context.machine.sdk)
            requirements = extension_requirements(spec.name, *found, limited_api=spec.limited_api)
            ext.include_dirs = [*ext.include_dirs, *requirements.include_dirs]
            ext.library_dirs = [*ext.library_dirs, *requirements.library_dirs]
            ext.libraries = [*ext.libraries, *requirements.libraries]
            ext.runtime_library_dirs = [*ext.runtime_library_dirs, *requirements.run_paths]
        return ext

    def record(self, ext: Any, compiler: Any, build_temp: str, build: Callable[[Any], None]) -> None:
        """Plan the commands that `build` (torch's and setuptools' build_extension) runs through `compiler`.

        Args:
            ext: A copy that extension_for_torch() returned.
            compiler: setuptools' compiler object.
            build_temp: The build directory.
            build: Called with `ext`.

        Raises:
            SourceError: A source does not exist or cannot be used.
            SettingError: A setting or argument is invalid.
            UnexpectedToolError: The commands have an unexpected form.
        """
        declared = self._specs[ext.name]
        ext.sources = [*ext.sources, *filter(_is_hidden_from_torch, declared.sources)]
        # A project's own build_extension() may have added sources before it called ours.
        spec = replace(declared, sources=tuple(ext.sources))
        check_sources(spec)
        directory = f"{build_temp}/{ext.name}"
        with record(
            compiler,
            forced=spec.forced,
            object_name=lambda source: object_path(source, directory, str(Path.cwd())),
        ) as recording:
            build(ext)
        for note in spec.flags.notes:
            LOGGER.info("%s: nvcc's flag %s", spec.name, note)
        for requested, used in raised_standards(recording):
            LOGGER.info("%s: torch %s needs -std=%s, not %s", spec.name, self._context.torch.version, used, requested)
        toolchains = self._context.toolchains(spec)
        _log_hint(spec, toolchains)
        plan = plan_extension(
            spec.name,
            recording,
            toolchains,
            directory=directory,
            depends=spec.depends,
            device_link=spec.flags.device_link,
            optional=spec.optional,
        )
        self._plans.append((plan, spec.optional))

    def build_with_ninja(
        self,
        directory: Path,
        fingerprint: Optional[Fingerprint] = None,
        *,
        complete: bool = True,
        force: bool = False,
    ) -> None:
        """Build the plans so far as one graph below `directory`. See ProjectGraph.build for the arguments."""
        self._graph.build(join(self.plans), directory, fingerprint, complete=complete, force=force)

    def build_in_order(self) -> None:
        """Build the plans since the last call, without ninja. Raises CompileFailedError."""
        build_without_ninja(self._plans, verbose=self._context.verbose)
        self._plans.clear()


def _log_hint(spec: ExtensionSpec, toolchains: Toolchains) -> None:
    if toolchains.mcc is not None:
        sources = [source for source in spec.sources if is_musa(source) or spec.forced(source)]
        texts = {source: Path(source).read_text(encoding="utf-8", errors="replace") for source in sources}
        hint = pybind_hint(texts, front_ends=1 + len(toolchains.mcc.archs))
        if hint:
            LOGGER.info("%s: %s", spec.name, hint)


def _is_hidden_from_torch(source: str) -> bool:
    """Return whether to hide `source` from torch, which requires a CUDA toolkit for a .cu file."""
    return Path(source).suffix == ".cu"


# Both read all of pybind11 and of torch's Python headers.
_PYBIND = re.compile(
    r'^[ \t]*#[ \t]*include[ \t]*[<"](torch/extension\.h|torch/python\.h|pybind11/[^">]+)[">]', re.MULTILINE
)


def pybind_hint(texts: Mapping[str, str], front_ends: int) -> Optional[str]:
    """Return a hint about MUSA sources that include pybind11; None if there are none.

    Args:
        texts: The content of the sources, by name.
        front_ends: How often mcc reads a source: once for the host and once for each architecture.
    """
    headers = {name: match[1] for name, text in texts.items() for match in [_PYBIND.search(text)] if match}
    if not headers:
        return None
    name, header = next(iter(headers.items()))
    others = f" and {len(headers) - 1} more" if len(headers) > 1 else ""
    return (
        f"{name}{others}: mcc reads <{header}> {front_ends} times, for the host and for each architecture; to build "
        "faster, move bindings to a .cpp and include <torch/types.h>, or single headers of <ATen/ops/...>, in the .mu"
    )
