// Replaces the simulator's own interface for profilers, which no card has: runs that need it are not for a card.
#pragma once
#include <stdint.h>
#define MUSA_SIM_ACTIVITY_VERSION 2
#include <cuda_runtime.h>
struct musa_sim_activity {
    int kind, stream;
    unsigned correlation;
    const char* name;
};
inline cudaError_t musa_sim_activity_start(int) { return cudaErrorNotSupported; }
inline size_t musa_sim_activity_stop(void (*)(const musa_sim_activity*, void*), void*) { return 0; }
