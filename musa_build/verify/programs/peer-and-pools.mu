// expect enabled=refused
// expect granted=allowed
#include "probe.h"
__global__ void store(int* to) { *to = 1; }
// Access of a kernel on device 1 to memory of a pool of device 0. A fault ends the context: one try per process.
static const char* stored(bool by_pool) {
    int *data, count = 0;
    musaMemPool_t pool;
    CHECK(musaGetDeviceCount(&count));
    if (count < 2) undecided("it needs two devices (the simulator: MUSA_SIM_DEVICES=2)");
    CHECK(musaSetDevice(0));
    CHECK(musaDeviceGetDefaultMemPool(&pool, 0));
    CHECK(musaMallocFromPoolAsync(reinterpret_cast<void**>(&data), sizeof(int), pool, nullptr));
    CHECK(musaDeviceSynchronize());
    if (by_pool) {
        musaMemAccessDesc access = {};
        access.location.type = musaMemLocationTypeDevice;
        access.location.id = 1;
        access.flags = musaMemAccessFlagsProtReadWrite;
        CHECK(musaMemPoolSetAccess(pool, &access, 1));
    }
    CHECK(musaSetDevice(1));
    if (!by_pool) CHECK(musaDeviceEnablePeerAccess(0, 0));
    store<<<1, 1>>>(data);
    return ended() == musaSuccess ? "allowed" : "refused";
}
int main() {
    fact("granted", stored(true));
    // the pool's access is taken back, and the other way is tried
    musaMemPool_t pool;
    CHECK(musaDeviceGetDefaultMemPool(&pool, 0));
    musaMemAccessDesc none = {};
    none.location.type = musaMemLocationTypeDevice;
    none.location.id = 1;
    none.flags = musaMemAccessFlagsProtNone;
    CHECK(musaMemPoolSetAccess(pool, &none, 1));
    fact("enabled", stored(false));
}
