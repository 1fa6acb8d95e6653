"""Answer `--query`: the rule that matches a name."""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING

from ..engine.identifiers import CUDNN, UNSUPPORTED, absent_in_simulator, looks_like_cuda_name, names_of_cuda
from ..engine.rewrites import ARCH, VERSION_MACROS

if TYPE_CHECKING:
    from ..engine.rules import RuleSet


# There is a list of names with these prefixes: functions, types and constants of the runtime, the driver and libraries.
_LISTED = re.compile(r"(?:cuda|cu|cublas|cufft|curand|cusparse|cusolver|nccl|nvrtc|nvtx)[A-Z]")


def is_unknown(name: str, rules: RuleSet) -> bool:
    """Return whether `name` has the form of a name of CUDA, but CUDA has none such, as far as musa_build knows."""
    has_rule = any(rule.find == name for rule in (*rules.user_rules, *rules.tables.rules))
    return not has_rule and bool(_LISTED.match(name)) and name not in names_of_cuda()


def answer(name: str, rules: RuleSet) -> str:
    """Return the replacement of the identifier or header `name`, and the source of that rule."""
    header = rules.header(name)
    if header is not None:
        keys = (name, name.rpartition("/")[0] + "/")
        rule = next(rule for rule in rules.tables.headers if rule.find in keys)
        return f"<{name}> -> <{header}>  ({rule.source})"
    rule_found = next((rule for rule in (*rules.user_rules, *rules.tables.rules) if rule.find == name), None)
    if rule_found is not None:
        return f"{name} -> {rule_found.replace}  ({rule_found.source})"
    if name == ARCH:
        return f"{name} -> __MUSA_ARCH__ with translated thresholds, where the condition is understood"
    if name in VERSION_MACROS:
        return f"{name} -> the number of the emulated CUDA version (--emulate-cuda)"
    if CUDNN.fullmatch(name):
        return f"{name}: not renamed; muDNN is another API and the call must be rewritten"
    pattern_rules = rules.pattern_rules_by_identifier.get(name)
    if pattern_rules:
        return "\n".join(f"{name} -> {rule.replace}  where it reads {rule.pattern}" for rule in pattern_rules)
    new = rules.renamed(name)
    if new is not None:
        pattern = rules.name_pattern_of(name)
        doubt = "; no public source knows it on MUSA" if name.startswith(UNSUPPORTED) else ""
        doubt += "; the simulator does not have it" if name in absent_in_simulator() else ""
        if is_unknown(name, rules):
            near = difflib.get_close_matches(name, names_of_cuda(), n=3, cutoff=0.8)
            meant = f"\ndid you mean {', '.join(near)}?" if near else ""
            return f"{name}: CUDA has no such name, as far as musa_build knows; porting would make {new} of it{meant}"
        return f"{name} -> {new}  (by its shape, {pattern.source if pattern is not None else ''}{doubt})"
    if looks_like_cuda_name(name):
        return f"{name}: not known as CUDA's; taken for the package's own name and left as it is"
    return f"{name}: nothing to port"
