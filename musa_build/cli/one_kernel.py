"""`musa-build doctor --run`: compile one kernel, run it, and check what it computes."""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path

from ..builder.machine import Machine
from ..environment.sdk import choose_archs
from ..environment.settings import ARCH
from ..errors import CompileFailedError
from ..system import process

_LIMIT = 120.0  # seconds: of the program, which may wait for a driver for ever
_PROGRAM = r"""
#include <musa_runtime.h>
#include <cstdio>

__global__ void twice(int* values) { values[threadIdx.x] *= 2; }

static int failed(const char* call, musaError_t error) {
    std::printf("%s: %s\n", call, musaGetErrorString(error));
    return 1;
}

int main() {
    int host[32], *device = nullptr;
    for (int i = 0; i < 32; ++i) host[i] = i;
    if (musaError_t error = musaMalloc(&device, sizeof host)) return failed("musaMalloc", error);
    if (musaError_t error = musaMemcpy(device, host, sizeof host, musaMemcpyHostToDevice))
        return failed("musaMemcpy", error);
    twice<<<1, 32>>>(device);
    if (musaError_t error = musaGetLastError()) return failed("the launch", error);
    if (musaError_t error = musaMemcpy(host, device, sizeof host, musaMemcpyDeviceToHost))
        return failed("the kernel", error);
    for (int i = 0; i < 32; ++i)
        if (host[i] != 2 * i) return std::printf("value %d is %d instead of %d\n", i, host[i], 2 * i), 1;
    musaDeviceProp properties;
    if (musaError_t error = musaGetDeviceProperties(&properties, 0))
        return failed("musaGetDeviceProperties", error);
    std::printf("%s\n", properties.name);
    return 0;
}
"""


def run_one_kernel(machine: Machine) -> str:
    """Compile and run a kernel with the compiler and the SDK of a build. Return the times, and the device's name.

    Raises:
        CompileFailedError: It does not compile, or it computes something else.
    """
    sdk = machine.sdk
    archs = choose_archs(machine.settings.value(ARCH), lambda: machine.cards).archs
    with tempfile.TemporaryDirectory(prefix="musa-doctor-") as folder:
        source, program = Path(folder) / "kernel.mu", Path(folder) / "kernel"
        source.write_text(_PROGRAM, encoding="utf-8")
        flags = [f"--offload-arch={arch.name}" for arch in archs]
        link = [f"-L{sdk.root / 'lib'}", "-lmusart", f"-Wl,-rpath,{sdk.root / 'lib'}"]
        begin = time.monotonic()
        compiled = process.run([*machine.mcc, *flags, str(source), "-o", str(program), *link])
        if compiled.returncode:
            raise CompileFailedError("a kernel does not compile", output=compiled.stderr or compiled.stdout)
        built = time.monotonic()
        libraries = os.pathsep.join(filter(None, [str(sdk.root / "lib"), os.environ.get("LD_LIBRARY_PATH", "")]))
        done = process.run([str(program)], extra_environment={"LD_LIBRARY_PATH": libraries}, timeout=_LIMIT)
        if done.returncode:
            said = done.stdout + done.stderr or f"exit code {done.returncode}"
            raise CompileFailedError("a kernel does not run", output=said)
    return f"compiled in {built - begin:.1f} s, run in {time.monotonic() - built:.1f} s on {done.stdout.strip()}"
