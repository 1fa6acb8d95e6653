"""What the tables know about one name."""

from __future__ import annotations

from ..engine.classifier import speaks_of_cuda
from ..engine.guards import ARCH, VERSION_MACROS
from ..engine.hazards import CUDNN, UNSUPPORTED
from ..engine.rules import RuleSet


def answer(name: str, rules: RuleSet) -> str:
    """What becomes of the identifier or header `name`, and who says so."""
    header = rules.header(name)
    if header is not None:
        places = (name, name.rpartition("/")[0] + "/")
        rule = next(rule for rule in rules.tables.headers if rule.find in places)
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
    new = rules.renamed(name)
    if new is not None:
        shape = rules.shape_of(name)
        doubt = "; no public source knows it on MUSA" if name.startswith(UNSUPPORTED) else ""
        return f"{name} -> {new}  (by its shape, {shape.source if shape is not None else ''}{doubt})"
    phrases = rules.phrases_by_word.get(name)
    if phrases:
        return "\n".join(f"{name} -> {phrase.replace}  where it reads {phrase.pattern}" for phrase in phrases)
    if speaks_of_cuda(name):
        return f"{name}: not known as CUDA's; taken for the package's own name and left as it is"
    return f"{name}: nothing to port"
