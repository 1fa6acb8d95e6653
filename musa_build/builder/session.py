"""One run of build_ext: record what torch and setuptools would run for each extension, plan it, build one graph."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional

from ..errors import SettingError
from ..logger_util import LOGGER
from .context import BuildContext
from .graph import PACKAGES, ProjectGraph, build_without_ninja
from .hints import pybind_hint
from .plan import BuildPlan, Toolchains, join, object_path, plan_extension, raised_standards
from .recorder import record
from .requirements import extension_requirements
from .spec import ExtensionSpec, check_sources, is_musa

if TYPE_CHECKING:
    from .machine import Machine


class BuildSession:
    """Collects the plans of a project's extensions and builds them.

    `declared` are setuptools' Extension objects; `for_torch` says which of them are MUSAExtensions. `jobs` is
    `build_ext -j`. With `keep_going`, a failure does not keep other files from being compiled.

    Creating it looks for what the extensions need. Raises what BuildContext.find raises.
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
                raise SettingError("two extensions have the same name", found=name, wanted="a name for each")
        self._specs = dict(zip(names, specs))
        self._context = BuildContext.find(machine, specs)
        # Who builds torch_musa itself does not build against the one that it replaces.
        own = any(name.startswith("torch_musa.") for name in names)
        self._graph = ProjectGraph(self._context, ("torch",) if own else PACKAGES, jobs, keep_going)
        self._plans: list[tuple[BuildPlan, bool]] = []  # with whether the extension is optional

    @property
    def cxx(self) -> tuple[str, ...]:
        """The C++ compiler."""
        return self._context.cxx.command

    @property
    def plans(self) -> tuple[BuildPlan, ...]:
        """The plans so far, one for each extension that was recorded."""
        return tuple(plan for plan, _ in self._plans)

    def set_plans(self, plans: Sequence[BuildPlan]) -> None:
        """Replace `plans`, one for one."""
        self._plans = [(plan, optional) for plan, (_, optional) in zip(plans, self._plans)]

    def prepared(self, declared: Any) -> Any:
        """Return a copy of an extension as torch's BuildExtension should see it.

        The caller may build the same object twice, and torch adds its flags to what it gets.
        """
        spec = self._specs[declared.name]
        ext = copy.deepcopy(declared)
        ext.extra_compile_args = {"cxx": list(spec.flags.cxx), "mcc": list(spec.flags.mcc)}
        # Absolute, because compilers print and debuggers keep what -I says.
        ext.include_dirs = [str(Path(directory).absolute()) for directory in ext.include_dirs]
        ext.sources = [source for source in spec.sources if not _is_hidden_from_torch(source)]
        if spec.for_torch:
            found = (self._context.torch, self._context.torch_musa, self._context.machine.sdk)
            more = extension_requirements(spec.name, *found, limited_api=spec.limited_api)
            ext.include_dirs = [*ext.include_dirs, *more.include_dirs]
            ext.library_dirs = [*ext.library_dirs, *more.library_dirs]
            ext.libraries = [*ext.libraries, *more.libraries]
            ext.runtime_library_dirs = [*ext.runtime_library_dirs, *more.run_paths]
        return ext

    def record(self, ext: Any, compiler: Any, build_temp: str, build: Callable[[Any], None]) -> None:
        """Plan what `build` (torch's and setuptools' build_extension) has `compiler` do for a prepared extension.

        Raises SourceError, SettingError, ArchError, UnexpectedToolError.
        """
        declared = self._specs[ext.name]
        ext.sources = [*ext.sources, *filter(_is_hidden_from_torch, declared.sources)]
        # A project's own build_extension() may have added some before it called ours.
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
        for asked, used in raised_standards(recording):
            LOGGER.info("%s: torch %s needs -std=%s, not %s", spec.name, self._context.torch.version, used, asked)
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

    def build_with_ninja(self, directory: Path, key: str = "", *, whole: bool = True, force: bool = False) -> None:
        """Build what was planned so far as one graph below `directory`, as ProjectGraph.build does it."""
        self._graph.build(join(self.plans), directory, key, whole=whole, force=force)

    def build_in_order(self) -> None:
        """Build what was planned since the last call, without ninja. Raises CompileFailedError."""
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
    """Return whether torch must not see `source`: it asks for a CUDA toolkit as soon as it sees a .cu."""
    return Path(source).suffix == ".cu"
