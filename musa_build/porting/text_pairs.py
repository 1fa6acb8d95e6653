"""The rules of porting that are one text for another, for programs that replace texts."""

from __future__ import annotations

from .engine.identifiers import names_of_cuda
from .engine.rules import RuleSet


def text_pairs(rules: RuleSet) -> dict[str, str]:
    """Return {CUDA's text: MUSA's}: names of CUDA, headers in their brackets, the tables' names, the user's own.

    These are the rules that torch_musa has in files. The others need the code around a name.
    """
    user = {_utf8(rule.find): _utf8(rule.replace) for rule in rules.user_rules}
    if not rules.has_defaults:
        return user
    renamed = {name: rules.new_name(name) for name in names_of_cuda()}
    headers = {
        f"{left}{old}{right}": f"{left}{new}{right}"
        for left, right in ("<>", '""')
        for old, new in rules.headers.items()
        if not old.endswith("/")  # a folder
    }
    named = {rule.find: rule.replace for rule in rules.tables.rules}
    return {**{old: new for old, new in renamed.items() if new}, **headers, **named, **user}


def _utf8(text: str) -> str:
    """Return a rule's text as its author wrote it: porting has one character per byte."""
    return text.encode("latin-1").decode("utf-8")
