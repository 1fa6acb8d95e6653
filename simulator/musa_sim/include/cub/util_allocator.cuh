/* CachingDeviceAllocator without a cache, because musaMalloc is cheap in the simulator. */
#ifndef MUSA_CUB_UTIL_ALLOCATOR_CUH
#define MUSA_CUB_UTIL_ALLOCATOR_CUH

#include <cub/util_device.cuh>

CUB_NAMESPACE_BEGIN

struct CachingDeviceAllocator {
    bool skip_cleanup = false;
    bool debug = false;

    CachingDeviceAllocator(bool skip_cleanup_ = false, bool debug_ = false)
        : skip_cleanup(skip_cleanup_), debug(debug_) {}
    CachingDeviceAllocator(unsigned /*bin_growth*/, unsigned /*min_bin*/, unsigned = ~0u, size_t = ~size_t{0},
                           bool skip_cleanup_ = false, bool debug_ = false)
        : skip_cleanup(skip_cleanup_), debug(debug_) {}

    musaError_t DeviceAllocate(void **memory, size_t bytes, musaStream_t stream = 0) {
        return musaMallocAsync(memory, bytes, stream);
    }
    musaError_t DeviceFree(void *memory) { return musaFree(memory); }
    /* On another device than the current one */
    musaError_t DeviceAllocate(int device, void **memory, size_t bytes, musaStream_t stream = 0) {
        int before = 0;
        musaError_t error = musaGetDevice(&before);
        if (error == musaSuccess) error = musaSetDevice(device);
        if (error != musaSuccess) return error;
        error = DeviceAllocate(memory, bytes, stream);
        const musaError_t restored = musaSetDevice(before);
        return error != musaSuccess ? error : restored;
    }
    musaError_t DeviceFree(int /*device*/, void *memory) { return musaFree(memory); }
    musaError_t FreeAllCached() { return musaSuccess; }
};

CUB_NAMESPACE_END

#endif
