"""Port a text and find what porting says of it, without files."""

from __future__ import annotations

import time
from collections.abc import Callable

from musa_build.porting.engine.edits import Finding
from musa_build.porting.engine.findings import findings_of
from musa_build.porting.engine.hazards import TARGETS
from musa_build.porting.engine.rules import rule_set
from musa_build.porting.engine.translate import Translation, Translator, translate

#: The translator of the default rules.
PLAIN = Translator(rule_set())


def translated(text: str, translator: Translator = PLAIN) -> Translation:
    return translate(text.encode(), translator, lambda include: None)


def findings_in(
    translation: Translation, translator: Translator = PLAIN, *, name: str = "k.cu", target: str = "mp_22"
) -> list[Finding]:
    return list(findings_of(translation, name, translator, lambda include: None, TARGETS[target]))


def findings(text: str, translator: Translator = PLAIN, *, name: str = "k.cu", target: str = "mp_22") -> list[Finding]:
    return findings_in(translated(text, translator), translator, name=name, target=target)


def takes_time_in_proportion(text_of: Callable[[int], str]) -> bool:
    """Whether the findings in a text of ten times as many parts take ten times as long, and not a hundred times."""

    def seconds(number: int) -> float:
        translation = translated(text_of(number))
        begin = time.process_time()
        findings_in(translation)
        return time.process_time() - begin

    seconds(200)
    few, many = (min(seconds(number) for _ in range(3)) for number in (200, 2000))
    return many < 40 * few
