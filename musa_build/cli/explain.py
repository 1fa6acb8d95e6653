"""`musa-build explain`: the pages about codes."""

from __future__ import annotations

import difflib
import shutil

import click

from .. import explain as pages
from ..explain.language import chosen
from ..explain.texts import translator
from ..porting.engine.finding_codes import KINDS
from .help_text import epilog

_EXAMPLES = (
    "musa-build explain              all codes",
    "musa-build explain MB202        an error",
    "musa-build explain arch-guard   a finding of musa-build port",
    "musa-build explain race         a check of the simulator",
    "musa-build explain 'libtorch_musa.so: cannot open shared object file'",
)


@click.command(epilog=epilog(_EXAMPLES))
@click.argument("codes", nargs=-1)
def explain(codes: tuple[str, ...]) -> None:
    """Explain errors and findings by their CODES: cause, cure, an example. It needs no network.

    In place of codes it takes a message, as it was printed.
    """
    language = chosen()
    if not codes:
        _list(language)
    known = pages.topics()
    message = pages.of_message(" ".join(codes), language) if any(" " in code or ":" in code for code in codes) else None
    found = [message] if message else []
    for code in () if message else codes:
        topic = pages.find(code, language)
        if topic is None:
            near = difflib.get_close_matches(code.upper(), known, n=1) or difflib.get_close_matches(code, known, n=1)
            hint = f"did you mean {near[0]}?" if near else "`musa-build explain` lists all codes"
            raise click.BadParameter(f"'{code}' is not a code; {hint}", param_hint="CODES")
        found.append(topic)
    width = min(shutil.get_terminal_size().columns, 100)
    for index, topic in enumerate(found):
        if index:
            click.echo("-" * width)
        facts = [translator(topic.language)(f"work: {KINDS[topic.code].effort.value}")] if topic.code in KINDS else []
        click.echo(pages.as_text(topic, *facts, width=width), nl=False)


def _list(language: str) -> None:
    width = shutil.get_terminal_size().columns
    for family, heading in pages.FAMILIES.items():
        click.echo(f"{translator(language)(heading)}:")
        for topic in pages.topics(language).values():
            if topic.family == family:
                first, *others = pages.lines(topic.title, width - 32, "")
                click.echo("\n".join([f"  {topic.code:30}{first}", *(" " * 32 + line for line in others)]))
