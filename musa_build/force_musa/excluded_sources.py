"""Building without some sources: those that MUSA_BUILD_ONLY does not select, and those that do not compile."""

from __future__ import annotations

import difflib
import fnmatch
import re
from collections.abc import Callable, Container, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Optional

from ..builder.plan import BuildPlan
from ..environment.settings import KEEP_GOING, ONLY, Settings
from ..errors import CompileFailedError, ForceMusaError, SettingError
from .link_stubs import STUB_FILE, is_required, with_stubs
from .report import NOT_CHOSEN, ExcludedSource

if TYPE_CHECKING:
    from ..builder.session import BuildSession

_ERROR = re.compile(r"(?:fatal )?error: (.+)")


def build_without_excluded(
    session: BuildSession, run: Callable[[], None], settings: Settings, directory: Path
) -> list[ExcludedSource]:
    """Carry out the plans of `session` by `run`, and again with stubs if sources are excluded. Return the excluded.

    Raises:
        SettingError: A pattern of MUSA_BUILD_ONLY matches no source.
        CompileFailedError: A source that cannot be excluded, or that the user wants, does not compile.
        ForceMusaError: A source that MUSA_BUILD_ONLY does not select cannot be excluded.
    """
    plans, patterns = session.plans, settings.value(ONLY).text.split()
    reasons = not_chosen(plans, patterns) if patterns else {}
    if reasons:
        session.set_plans([without_objects(plan, reasons) for plan in plans])
    failure: Optional[CompileFailedError] = None
    try:
        run()
    except CompileFailedError as error:
        if not settings.flag(KEEP_GOING):
            raise
        reasons.update(_failed_objects(error))
        failure = error
    if not reasons:
        return []
    try:
        stubbed = [with_stubs(plan, reasons, session.cxx, directory) for plan in plans]
    except ForceMusaError as error:
        raise _cannot_exclude(failure, error) if failure else error from None
    session.set_plans([plan for plan, _ in stubbed])
    run()
    return [source for _, sources in stubbed for source in sources]


def not_chosen(plans: Sequence[BuildPlan], patterns: Sequence[str]) -> dict[str, str]:
    """Return the objects of sources that no pattern matches (object -> reason), except those of required sources.

    Raises:
        SettingError: A pattern matches no source.
    """
    steps = [step for plan in plans for step in plan.compiles if Path(step.source).name != STUB_FILE]
    names = {Path(step.source).name for step in steps}
    for pattern in patterns:
        if not fnmatch.filter(names, pattern):
            near = difflib.get_close_matches(pattern, names, n=3) or sorted(names)[:3]
            raise SettingError(
                f"no source file matches a pattern of {ONLY.variables[0]}",
                found=pattern,
                wanted="patterns of names such as " + ", ".join(near),
            )
    others = (step for step in steps if not any(fnmatch.fnmatch(Path(step.source).name, each) for each in patterns))
    return {step.output: NOT_CHOSEN for step in others if not is_required(step.source)}


def without_objects(plan: BuildPlan, excluded: Container[str]) -> BuildPlan:
    """Return `plan` without the objects `excluded`, and without links: stubs are made from the other objects first."""
    compiles = tuple(step for step in plan.compiles if step.output not in excluded)
    return replace(plan, compiles=compiles, links=(), device_links=())


def _failed_objects(error: CompileFailedError) -> dict[str, str]:
    """Return the objects that were not made, with the compilers' first errors. Raise `error` if a link failed."""
    if not error.failed or any(output.endswith(".so") for output, _ in error.failed):
        raise error
    return {output: _first_error(text) for output, text in error.failed}


def _first_error(text: str) -> str:
    found = _ERROR.search(text)
    return found[1].strip() if found else "the compiler failed without naming an error"


def _cannot_exclude(failure: CompileFailedError, reason: ForceMusaError) -> CompileFailedError:
    """Return the failure of sources that cannot be excluded, with the reason."""
    hint = f"they cannot be excluded: {reason.what}: {reason.found}"
    return CompileFailedError(failure.what, output=failure.output, hint=hint, failed=failure.failed)
