/* The work of the simulated devices and its times: for torch_musa's profiler, and for other tools of the simulator.
 *
 * Private to the simulator. The SDK's own interface for this is MUPTI (mupti.h), which is made of this one. Plain C.
 *
 * Between musa_sim_activity_start() and musa_sim_activity_stop() libmusart notes every call that submits work or waits
 * for it, and the work itself. One profiler at a time.
 */
#ifndef MUSA_SIM_ACTIVITY_H
#define MUSA_SIM_ACTIVITY_H

#include <musa_runtime_api.h>
#include <stddef.h>
#include <stdint.h>

/* Changes with the layout of struct musa_sim_activity. */
#define MUSA_SIM_ACTIVITY_VERSION 2

#ifdef __cplusplus
extern "C" {
#endif

enum musa_sim_activity_kind {
    musa_sim_activity_call = 1,     /* a call of the API, on a thread of the host */
    musa_sim_activity_kernel = 2,   /* a kernel of a program */
    musa_sim_activity_copy = 3,
    musa_sim_activity_fill = 4,
    musa_sim_activity_library = 5,  /* an operation of muBLAS, muFFT, ...: on hardware, kernels */
    musa_sim_activity_operator = 6, /* host code that replaces kernels (musa_sim_activity_operator_submit) */
};

enum musa_sim_memory {
    musa_sim_memory_none = 0,
    musa_sim_memory_pageable = 1,
    musa_sim_memory_pinned = 2,
    musa_sim_memory_device = 3,
    musa_sim_memory_managed = 4,
};

/* One end of a copy. */
struct musa_sim_copy_end {
    enum musa_sim_memory memory;
    int is_device; /* as the copy's kind says, or where the memory is */
    int device;    /* whose memory it is; -1: none's alone */
};

struct musa_sim_activity {
    enum musa_sim_activity_kind kind;
    /* A kernel's: demangled. A call's: that of the function. Valid during the visit. */
    const char* name;
    /* Nanoseconds since 1970 (CLOCK_REALTIME). Work: when it ran. */
    int64_t begin;
    int64_t end;
    /* The same number for a call and the work that it submitted; more than 2^30. */
    uint32_t correlation;
    /* The last correlation pushed by the thread that submitted it, or 0. */
    uint64_t external_correlation;

    /* Calls: the thread, as gettid() names it. */
    int32_t thread;

    /* Work: where it ran. Stream 0 is the device's default stream; others are numbered as they are created.
     * Calls: the current device, and the stream that musaStreamSynchronize() waits for (other calls: -1). */
    int device;
    int stream;
    /* Kernels */
    unsigned grid[3];
    unsigned block[3];
    size_t static_shared;
    size_t dynamic_shared;
    /* Copies and fills; a fill has no source */
    size_t bytes;
    struct musa_sim_copy_end from;
    struct musa_sim_copy_end to;
    unsigned value; /* of fills */
};

/* Begins to take notes. musaErrorInvalidValue: the caller was compiled for another version; musaErrorNotPermitted:
 * somebody else is at it. */
musaError_t musa_sim_activity_start(int version);

/* Ends it and calls visit() for each activity that has ended since, in the order in which they ended. Does not wait:
 * what still runs is not visited. Returns how many of them there are. */
typedef void (*musa_sim_activity_visit)(const struct musa_sim_activity* activity, void* data);
size_t musa_sim_activity_stop(musa_sim_activity_visit visit, void* data);

/* Visit what has ended so far, and go on. Each activity is visited once, here or by stop. */
void musa_sim_activity_drain(musa_sim_activity_visit visit, void* data);

/* Call observer(entered, call, data) where a thread enters a call (1) and leaves it (0), between start and stop and
 * outside; a null pointer ends it. `call` has the call's name, correlation, thread and device, when it is left its times
 * as well. The observer must not make calls that submit work. One observer at a time: musaErrorNotPermitted. */
typedef void (*musa_sim_activity_observer)(int entered, const struct musa_sim_activity* call, void* data);
musaError_t musa_sim_activity_observe(musa_sim_activity_observer observer, void* data);

/* Enter a call of an API that is made of the runtime's calls: these are part of it until the thread leaves it. Without a
 * profiler the handle is a null pointer, which leave accepts. */
struct musa_sim_call;
struct musa_sim_call* musa_sim_activity_call_enter(const char* name);
void musa_sim_activity_call_leave(struct musa_sim_call* entered);

/* The number that activities have for this stream. */
musaError_t musa_sim_activity_stream(musaStream_t stream, int* number);

/* Not 0 between start and stop. */
int musa_sim_activity_active(void);

/* Attribute all work that the calling thread submits from now on to `external`, a number of the caller's. */
void musa_sim_activity_push_correlation(uint64_t external);
void musa_sim_activity_pop_correlation(void);

/* Record host code that replaces work of a stream: submit when the host reaches it, begin and end around the work of the
 * device. Between submit and begin lies a call of the name `call`. An operator that ends without having begun is not
 * recorded. Without a profiler the handle is a null pointer, which the other functions accept. */
struct musa_sim_operator;
struct musa_sim_operator* musa_sim_activity_operator_submit(const char* call, const char* name, musaStream_t stream);
void musa_sim_activity_operator_begin(struct musa_sim_operator* submitted);
void musa_sim_activity_operator_end(struct musa_sim_operator* submitted);

#ifdef __cplusplus
}
#endif

#endif
