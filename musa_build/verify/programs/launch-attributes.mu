// refuted by compile-error
// expect cooperative=2
// expect cluster=4
// expect priority=8
// expect plain=musaSuccess
// expect clusters=musaErrorNotSupported
// expect value=5
#include "probe.h"
__global__ void store(int* to, int value) { *to = value; }
static musaError_t launched(musaLaunchAttribute* attributes, int count, int* to) {
    musaLaunchConfig_t config = {};
    config.gridDim = dim3(2);
    config.blockDim = dim3(1);
    config.attrs = attributes;
    config.numAttrs = count;
    const musaError_t status = musaLaunchKernelEx(&config, store, to, 5);
    (void)musaGetLastError();
    return status;
}
int main() {
    fact("cooperative", static_cast<long long>(musaLaunchAttributeCooperative));
    fact("cluster", static_cast<long long>(musaLaunchAttributeClusterDimension));
    fact("priority", static_cast<long long>(musaLaunchAttributePriority));
    int* to = managed<int>(1);
    fact("plain", launched(nullptr, 0, to));
    CHECK(musaDeviceSynchronize());
    fact("value", *to);
    musaLaunchAttribute cluster = {};
    cluster.id = musaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = 2;
    cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
    fact("clusters", launched(&cluster, 1, to));
}
