"""The exit statuses of all commands: one number, one meaning. docs/errors.md shows this table."""

from __future__ import annotations

DONE, FAILED, WRONG_USAGE, UNSUPPORTED, NOT_WRITTEN, FINDINGS, INTERRUPTED = 0, 1, 2, 3, 4, 86, 130

#: Status -> its meaning
MEANINGS = {
    DONE: "done",
    FAILED: "an error, or the answer is no: something differs, would change, is missing or does not compile",
    WRONG_USAGE: "the command cannot do its work: wrong options, or input that it cannot read",
    UNSUPPORTED: "`musa-converter --strict`: something is left that MUSA does not support",
    NOT_WRITTEN: "`musa-converter`: nothing was written; every file is as it was",
    FINDINGS: "`musa-build sim run`: the checks have findings, and the program ended with 0",
    INTERRUPTED: "interrupted by Ctrl-C",
}
