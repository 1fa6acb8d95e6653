"""Port, compile and link the kernels of a checkout, and report the outcome for each file."""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import Path

from ..errors import CheckoutError, SourceError
from ..porting.pytorch.headers import port_torch_headers, torch_include
from .checkout import KERNELS, VARIABLE, Checkout
from .folder import install, own
from .link import Definitions, Linker, describe
from .options import Options
from .report import FAILED, LEFT_OUT, LINKED, UNUSED, FileReport, Report
from .table import KernelEntry, entry_for

PORTED = "generated_cuda_compatible"
"""As in torch_musa's own build."""
_KERNELS = "aten/src/ATen/native/musa"
_LACKING = ("ATen/cuda/CUDADataType.h",)
"""A header that Moore Threads' torch_musa has written anew and the simulated one has not."""


def build(checkout: Checkout, torch_version: str, options: Options) -> Report:
    """Build the library. Raises MusaBuildError. A file that does not compile is no error: the report lists it."""
    with own(options.folder):
        rows = {kernel: entry_for(kernel, checkout.text(kernel), torch_version) for kernel in checkout.kernels()}
        chosen = _chosen(rows, options.names)
        ported = options.folder / PORTED
        port_torch_headers(torch_include(), ported, checkout.root, _LACKING)
        report = _built(checkout, torch_version, options, chosen, ported)
        report.write(options.folder)
        return report


def _chosen(rows: Mapping[str, KernelEntry], names: tuple[str, ...]) -> dict[str, KernelEntry]:
    """Return the requested files. Raises SourceError if a name matches none, CheckoutError without files."""
    if not rows:
        raise CheckoutError(f"the checkout in {VARIABLE} has no kernel files", found=f"no .cu file in {KERNELS}")
    for name in names:
        if not any(fnmatchcase(kernel, name.removesuffix(".cu")) for kernel in rows):
            raise SourceError(
                "no kernel file of the checkout has this name",
                found=name,
                wanted=f"the name of a file in {KERNELS}, or a pattern such as 'Binary*'",
            )
    patterns = [name.removesuffix(".cu") for name in names]
    return {
        kernel: row
        for kernel, row in rows.items()
        if not patterns or any(fnmatchcase(kernel, pattern) for pattern in patterns)
    }


def _built(
    checkout: Checkout, torch_version: str, options: Options, rows: Mapping[str, KernelEntry], ported: Path
) -> Report:
    from .compile import Compiler  # not above: files are chosen and ported without the machinery of builds

    sources = {kernel: ported / _KERNELS / f"{kernel}.mu" for kernel, row in rows.items() if not row.unused}
    compiler = Compiler(ported, options)
    compiled = compiler.compile(list(sources.values()))
    objects = {kernel: compiled.objects[source] for kernel, source in sources.items() if source in compiled.objects}
    linked = Linker(compiler.context, options).link(list(objects.values()))
    definitions = Definitions(checkout.root)

    def became(kernel: str, row: KernelEntry) -> FileReport:
        file = f"{kernel}.cu"
        if row.unused:
            return FileReport(file, UNUSED, tuple(row.stubs), reason=row.unused)
        if sources[kernel] in compiled.errors:
            return FileReport(file, FAILED, tuple(row.stubs), reason=compiled.errors[sources[kernel]])
        if objects[kernel] in linked.lacking:
            reason = describe(linked.lacking[objects[kernel]], definitions)
            return FileReport(file, LEFT_OUT, tuple(row.stubs), reason=reason)
        return FileReport(file, LINKED, tuple(row.stubs), row.replaces)

    library = linked.library
    if library is not None and options.install:
        library = install(library)
    return Report(
        torch_version,
        checkout.root,
        tuple(became(kernel, row) for kernel, row in rows.items()),
        tuple(f"{source.stem}.cu" for source in compiled.now),
        library,
    )
