// The facts about the machine in the report.
#include "probe.h"
int main() {
    musaDeviceProp properties;
    CHECK(musaGetDeviceProperties(&properties, 0));
    int driver = 0, runtime = 0, count = 0;
    musaDriverGetVersion(&driver);
    musaRuntimeGetVersion(&runtime);
    musaGetDeviceCount(&count);
    fact("card", properties.name);
    std::printf("architecture=mp_%d%d\n", properties.major, properties.minor);
    fact("cards", count);
    fact("driver", driver);
    fact("runtime", runtime);
}
