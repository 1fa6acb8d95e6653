/* Data on several devices, as muFFT keeps it: CUDA's cudalibxt.h, renamed. */
#ifndef MUSALIBXT_H_
#define MUSALIBXT_H_

#include <musa_runtime_api.h>
#include <stddef.h>

#define MUSA_XT_DESCRIPTOR_VERSION 0x01000000
#define MAX_MUSA_DESCRIPTOR_GPUS 64

typedef enum musaXtCopyType_t {
    LIB_XT_COPY_HOST_TO_DEVICE = 0,
    LIB_XT_COPY_DEVICE_TO_HOST = 1,
    LIB_XT_COPY_DEVICE_TO_DEVICE = 2
} musaXtCopyType_t;
typedef musaXtCopyType_t musaLibXtCopyType;

typedef enum libFormat_t { LIB_FORMAT_MUFFT = 0, LIB_FORMAT_UNDEFINED = 1 } libFormat;

/* The part of each device: its address and its bytes */
typedef struct musaXtDesc_t {
    int version;
    int nGPUs;
    int GPUs[MAX_MUSA_DESCRIPTOR_GPUS];
    void *data[MAX_MUSA_DESCRIPTOR_GPUS];
    size_t size[MAX_MUSA_DESCRIPTOR_GPUS];
    void *musaXtState;
} musaXtDesc;

typedef struct musaLibXtDesc_t {
    int version;
    musaXtDesc *descriptor;
    libFormat library;
    int subFormat;
    void *libDescriptor;
} musaLibXtDesc;

#endif
