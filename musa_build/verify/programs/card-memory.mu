// expect as_assumed=1
#include <cstring>

#include "probe.h"
int main() {
    size_t free = 0, total = 0;
    CHECK(musaMemGetInfo(&free, &total));
    musaDeviceProp properties;
    CHECK(musaGetDeviceProperties(&properties, 0));
    if (std::strstr(properties.name, "simulator")) undecided("a simulated device has what its host can spare");
    const int arch = architecture();
    const double gigabytes = total / 1073741824.0;
    const double assumed = arch == 10 ? 8 : arch == 21 ? 16 : arch == 22 ? 48 : arch == 31 ? 79.9 : 0;
    std::printf("architecture=mp_%d\nGiB=%.1f\n", arch, gigabytes);
    if (assumed == 0) undecided("no architecture that we know");
    fact("as_assumed", gigabytes > 0.9 * assumed && gigabytes < 1.1 * assumed);
}
