"""Change clang's diagnostics so that they name mcc."""

from __future__ import annotations

import re

#: Where LLVM's assembler says that an error is, if it sees no source: in the text of an asm statement.
INLINE_ASSEMBLY = "<inline asm>:"


def rename_program(diagnostics: str) -> str:
    """Make `clang: error:` and `zig: error:` `mcc: error:`; drop the driver's banner lines."""
    banner = re.compile(r"^((?:\w+ )?clang version|Target:|Thread model:|InstalledDir:| \(in-process\)).*\n?", re.M)
    return re.sub(
        r"^(?:zig|clang[\w+.-]*): (?=error|warning|note|fatal)", "mcc: ", banner.sub("", diagnostics), flags=re.M
    )


def name_arch(diagnostics: str, target: str) -> str:
    """Name the MUSA architecture in clang's last line, which says for which CPU it compiled."""
    footer = re.compile(
        r"^((?:\d+ warnings?)?(?: and )?(?:\d+ errors?)? generated) when compiling for [\w.+-]+\.$", re.M
    )
    return footer.sub(rf"\1 when compiling for {target}.", rename_program(diagnostics))
