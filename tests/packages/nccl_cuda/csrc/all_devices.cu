// Each device fills memory with its own number, then all add theirs up and pass the sum on to the next; written for CUDA.
#include <cuda_runtime.h>
#include <nccl.h>

#include <string>
#include <vector>

#include "all_devices.h"

#define NCCL_CHECK(call)                                                     \
    do {                                                                     \
        ncclResult_t status = (call);                                        \
        if (status != ncclSuccess) return {ncclGetErrorString(status), {}};  \
    } while (0)

__global__ void fill(float* values, int count, float value) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) values[i] = value + i;
}

Outcome all_devices(int count, bool half_of_it) {
    int devices = 0;
    cudaGetDeviceCount(&devices);
    std::vector<ncclComm_t> comms(devices);
    NCCL_CHECK(ncclCommInitAll(comms.data(), devices, nullptr));
    std::vector<float*> values(devices), received(devices);
    std::vector<cudaStream_t> streams(devices);
    for (int i = 0; i < devices; ++i) {
        cudaSetDevice(i);
        cudaStreamCreate(&streams[i]);
        cudaMalloc((void**)&values[i], count * sizeof(float));
        cudaMalloc((void**)&received[i], count * sizeof(float));
        fill<<<(count + 127) / 128, 128, 0, streams[i]>>>(values[i], count, 100.f * i);
    }
    ncclRedOp_t half = ncclSum;
    NCCL_CHECK(ncclGroupStart());
    for (int i = 0; i < devices; ++i) {
        float factor = 0.5f;
        if (half_of_it)
            NCCL_CHECK(ncclRedOpCreatePreMulSum(&half, &factor, ncclFloat32, ncclScalarHostImmediate, comms[i]));
        NCCL_CHECK(ncclAllReduce(values[i], values[i], count, ncclFloat, half, comms[i], streams[i]));
    }
    NCCL_CHECK(ncclGroupEnd());
    NCCL_CHECK(ncclGroupStart());
    for (int i = 0; i < devices; ++i) {
        NCCL_CHECK(ncclSend(values[i], count, ncclFloat, (i + 1) % devices, comms[i], streams[i]));
        NCCL_CHECK(ncclRecv(received[i], count, ncclFloat, (i + devices - 1) % devices, comms[i], streams[i]));
    }
    NCCL_CHECK(ncclGroupEnd());
    Outcome outcome{"", {}};
    for (int i = 0; i < devices; ++i) {
        cudaSetDevice(i);
        std::vector<float> host(count);
        cudaMemcpyAsync(host.data(), received[i], count * sizeof(float), cudaMemcpyDeviceToHost, streams[i]);
        cudaStreamSynchronize(streams[i]);
        outcome.values.insert(outcome.values.end(), host.begin(), host.end());
        int device = -1;
        NCCL_CHECK(ncclCommCuDevice(comms[i], &device));
        if (device != i) return {"the communicator is on another device", {}};
        NCCL_CHECK(ncclCommDestroy(comms[i]));
        cudaFree(values[i]);
        cudaFree(received[i]);
        cudaStreamDestroy(streams[i]);
    }
    return outcome;
}
