// Prints the card's name and compute capability as JSON; fails without a card.
#include <musa_runtime.h>

#include <cstdio>

int main() {
    musaDeviceProp properties;
    if (musaGetDeviceProperties(&properties, 0) != musaSuccess) return 1;
    int driver = 0, runtime = 0;
    musaDriverGetVersion(&driver);
    musaRuntimeGetVersion(&runtime);
    std::printf("{\"name\": \"%s\", \"capability\": \"%d.%d\", \"driver\": %d, \"runtime\": %d}\n", properties.name,
                properties.major, properties.minor, driver, runtime);
}
