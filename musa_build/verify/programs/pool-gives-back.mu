// expect kept_before=1
// expect kept_after=0
// expect kept_below_threshold=1
#include "probe.h"
static unsigned long long reserved(musaMemPool_t pool) {
    unsigned long long bytes = 0;
    CHECK(musaMemPoolGetAttribute(pool, musaMemPoolAttrReservedMemCurrent, &bytes));
    return bytes;
}
int main() {
    constexpr size_t size = 64 << 20;
    musaMemPool_t pool;
    musaStream_t stream;
    void* data;
    CHECK(musaDeviceGetDefaultMemPool(&pool, 0));
    CHECK(musaStreamCreateWithFlags(&stream, musaStreamNonBlocking));
    CHECK(musaMallocFromPoolAsync(&data, size, pool, stream));
    CHECK(musaFreeAsync(data, stream));
    fact("kept_before", static_cast<long long>(reserved(pool) >= size));
    CHECK(musaStreamSynchronize(stream));
    fact("kept_after", static_cast<long long>(reserved(pool) >= size));
    unsigned long long threshold = 2 * size;
    CHECK(musaMemPoolSetAttribute(pool, musaMemPoolAttrReleaseThreshold, &threshold));
    CHECK(musaMallocFromPoolAsync(&data, size, pool, stream));
    CHECK(musaFreeAsync(data, stream));
    CHECK(musaStreamSynchronize(stream));
    fact("kept_below_threshold", static_cast<long long>(reserved(pool) >= size));
}
