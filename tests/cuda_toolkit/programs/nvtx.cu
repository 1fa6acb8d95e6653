// Marks and ranges of NVTX around a kernel. They change no result, and no library is linked for them.
#include <cstdio>
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtCuda.h>
#include <nvtx3/nvToolsExtCudaRt.h>

__global__ void fill(int *out) { out[threadIdx.x] = threadIdx.x; }

int main() {
    nvtxDomainHandle_t domain = nvtxDomainCreateA("test");
    nvtxEventAttributes_t event = {};
    event.version = NVTX_VERSION;
    event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    event.colorType = NVTX_COLOR_ARGB;
    event.color = 0xff00ff00;
    event.messageType = NVTX_MESSAGE_TYPE_ASCII;
    event.message.ascii = "fill";
    nvtxMark("begin");
    nvtxNameCudaDevice(0, "card");
    nvtxNameCudaStreamW(nullptr, L"stream");
    nvtxNameCuStream(nullptr, "stream");
    nvtxRangePush("all");
    nvtxDomainRangePushEx(domain, &event);
    const nvtxRangeId_t id = nvtxRangeStartEx(&event);
    int *out = nullptr, last = 0;
    cudaMalloc(&out, 32 * sizeof(int));
    fill<<<1, 32>>>(out);
    cudaMemcpy(&last, out + 31, sizeof last, cudaMemcpyDeviceToHost);
    nvtxRangeEnd(id);
    nvtxDomainRangePop(domain);
    nvtxRangePop();
    nvtxDomainDestroy(domain);
    std::printf("%d\n", last);
    return cudaFree(out);
}
