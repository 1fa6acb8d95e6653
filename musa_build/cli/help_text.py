"""Parts of the help of all commands: groups, and the end with examples and exit statuses."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from typing import ClassVar, Optional

import click

DEFAULT_STATUS = "0 on success, 1 on an error, 2 for wrong usage."


def epilog(examples: Sequence[str], *sections: str, status: str = DEFAULT_STATUS) -> str:
    """Return an epilog for click: `examples` with their line breaks, more `sections`, and the exit status."""
    lines = "\n".join(f"  {example}" for example in examples)
    return "\n\n".join([f"\b\nExamples:\n{lines}", *sections, f"Exit status: {status}"])


class Group(click.Group):
    """A group whose help has whole sentences about its commands, and which names the nearest of a misspelt one.

    `sections` are titles of the help and their commands, in order; all other commands come last.
    """

    sections: ClassVar[Mapping[str, Sequence[str]]] = {}

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands, each with the first sentence of its help."""
        shown = {
            name: command.get_short_help_str(limit=1000)
            for name, command in sorted(self.commands.items())
            if not command.hidden
        }
        grouped = {name for names in self.sections.values() for name in names}
        others = [name for name in shown if name not in grouped]
        last = "Other commands" if grouped else "Commands"
        for title, names in (*self.sections.items(), (last, others)):
            if names:
                with formatter.section(title):
                    formatter.write_dl([(name, shown[name]) for name in names])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[Optional[str], Optional[click.Command], list[str]]:
        """Find a command. Raises UsageError, with the command that is probably meant."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            near = difflib.get_close_matches(args[0], self.commands, n=1)
            if near and "did you mean" not in error.message.lower():
                text = f"{error.message.rstrip('.')}; did you mean '{near[0]}'?"
                raise click.UsageError(text, error.ctx) from None
            raise
