"""The object of a device link, as the source that the host's compiler makes it of.

It is C, because host compilers have no other way to include a file. This module is pure.
"""

from __future__ import annotations

from collections.abc import Sequence

from .record import LINKED_SECTION

_OBJECT = r"""
typedef void (*registration)(void **);
void **__musaRegisterFatBinary(void *);
void __musaRegisterFatBinaryEnd(void **);
void __musaUnregisterFatBinary(void **);
int atexit(void (*)(void));

__asm__(".pushsection .mt_fatbin, \"a\", @progbits\n.p2align 6\n__musa_sim_images: .incbin \"IMAGES\"\n.popsection\n"
        ".pushsection LINKED, \"e\", @progbits\n.ascii \"NAMES\"\n.popsection\n");
extern const char __musa_sim_images[] __attribute__((visibility("hidden")));
static struct { int magic, version; const void *data; void *unused; } wrapper
    __attribute__((section(".mtFatBinSegment"))) = {0x466243B1, 1, __musa_sim_images, 0};
static void **handle;

static void unregister(void) { __musaUnregisterFatBinary(handle); }

static void add(registration kernels_and_variables) {
    if (!handle) {
        handle = __musaRegisterFatBinary(&wrapper);
        atexit(unregister);
    }
    kernels_and_variables(handle);
}
"""
_FUNCTION = '__attribute__((visibility("hidden"))) void {}(registration own) {{ add(own); }}\n'


def object_text(images: str, names: Sequence[str]) -> str:
    """Write the source: `images` is the path of the fat binary, `names` are the functions that constructors call."""
    path = images.replace("\\", r"\\\\").replace('"', r"\\\"")
    lines = "".join(rf"{name}\\n" for name in names)
    text = _OBJECT.replace("IMAGES", path).replace("LINKED", LINKED_SECTION).replace("NAMES", lines)
    return text + "".join(map(_FUNCTION.format, names))
