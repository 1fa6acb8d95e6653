/* The compute capability and the version that the driver tells (see runtime.h), and static variables of modules. */
#ifndef MUSA_CUDA_ADAPTER_DRIVER_H
#define MUSA_CUDA_ADAPTER_DRIVER_H

#include <musa_cuda/capability.h>
#include <stdio.h>
#include <string.h>

#include "image_text.h"

static inline MUresult musa_cuda_driver_compute_capability(int *major, int *minor, MUdevice device) {
    MUresult result = muDeviceComputeCapability(major, minor, device);
    if (result == MUSA_SUCCESS) {
        const int capability = musa_cuda_capability(*major, *minor);
        *major = capability / 10;
        *minor = capability % 10;
    }
    return result;
}

static inline MUresult musa_cuda_driver_attribute(int *value, MUdevice_attribute attribute, MUdevice device) {
    int major, minor;
    MUresult result;
    switch (attribute) {
        case MU_DEVICE_ATTRIBUTE_WARP_SIZE:
            result = muDeviceGetAttribute(value, attribute, device);
            if (result == MUSA_SUCCESS) *value = 32;
            return result;
        case MU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
        case MU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
            result = musa_cuda_driver_compute_capability(&major, &minor, device);
            if (result == MUSA_SUCCESS) *value = attribute == MU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR ? major : minor;
            return result;
        default: return muDeviceGetAttribute(value, attribute, device);
    }
}

static inline MUresult musa_cuda_func_get_attribute(int *value, MUfunction_attribute attribute, MUfunction function) {
    const MUresult result = muFuncGetAttribute(value, attribute, function);
    const int is_version = attribute == MU_FUNC_ATTRIBUTE_PTX_VERSION || attribute == MU_FUNC_ATTRIBUTE_BINARY_VERSION;
    if (result == MUSA_SUCCESS && is_version) *value = musa_cuda_capability(*value / 10, *value % 10);
    return result;
}

static inline MUresult musa_cuda_driver_version(int *version) {
    if (version == 0) return MUSA_ERROR_INVALID_VALUE;
    *version = CUDA_VERSION;
    return MUSA_SUCCESS;
}

/* A static variable outside of namespaces has its own name in NVIDIA's images, and its mangled one in the SDK's. */
static inline MUresult musa_cuda_module_get_global(MUdeviceptr *memory, size_t *bytes, MUmodule module, const char *name) {
    char mangled[512];
    MUresult result = muModuleGetGlobal(memory, bytes, module, name);
    if (result != MUSA_ERROR_NOT_FOUND || strlen(name) > sizeof(mangled) - 32) return result;
    snprintf(mangled, sizeof(mangled), "_ZL%zu%s", strlen(name), name);
    return muModuleGetGlobal(memory, bytes, module, mangled);
}

/* Write `text` to the buffer for errors that the options of a load or a link name, and its size; "" for none. */
static inline void musa_cuda_log_error(unsigned int count, const MUjit_option *options, void **values, const char *text) {
    char *buffer = 0;
    void **size = 0;
    unsigned int i;
    for (i = 0; i < count && options && values; ++i) {
        if (options[i] == MU_JIT_ERROR_LOG_BUFFER) buffer = (char *)values[i];
        if (options[i] == MU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES) size = &values[i];
    }
    if (!buffer || !size || !*size) return;
    snprintf(buffer, (size_t)*size, "%s", text);
    if (*text) *size = (void *)(strlen(buffer) + 1);
}

/* PTX that holds no whole image of this toolkit's NVRTC cannot be compiled. */
static inline MUresult musa_cuda_refuse_text(unsigned int count, const MUjit_option *options, void **values) {
    musa_cuda_log_error(count, options, values,
                        "this PTX is not what the CUDA toolkit for MUSA made, or not all of it: MUSA compiles no PTX");
    return MUSA_ERROR_INVALID_PTX;
}

static inline MUresult musa_cuda_module_load_data_ex(MUmodule *module, const void *code, unsigned int count,
                                                     MUjit_option *options, void **values) {
    size_t size;
    void *image;
    MUresult result;
    musa_cuda_log_error(count, options, values, "");
    if (!musa_cuda_is_text(code)) return muModuleLoadDataEx(module, code, count, options, values);
    image = musa_cuda_image_of_text(code, &size);
    if (!image) return musa_cuda_refuse_text(count, options, values);
    result = muModuleLoadDataEx(module, image, count, options, values);
    free(image);
    return result;
}

static inline MUresult musa_cuda_module_load_data(MUmodule *module, const void *code) {
    return musa_cuda_is_text(code) ? musa_cuda_module_load_data_ex(module, code, 0, 0, 0) : muModuleLoadData(module, code);
}

static inline MUresult musa_cuda_module_load(MUmodule *module, const char *path) {
    char *text = musa_cuda_text_of_file(path);
    const MUresult result = text ? musa_cuda_module_load_data(module, text) : muModuleLoad(module, path);
    free(text);
    return result;
}

static inline MUresult musa_cuda_link_add_data(MUlinkState state, MUjitInputType type, void *data, size_t size,
                                               const char *name, unsigned int count, MUjit_option *options,
                                               void **values) {
    size_t image_size;
    void *image;
    MUresult result;
    image = type == MU_JIT_INPUT_PTX && musa_cuda_is_text(data) ? musa_cuda_image_of_text(data, &image_size) : 0;
    if (!image) return muLinkAddData(state, type, data, size, name, count, options, values);  // it refuses PTX
    result = muLinkAddData(state, type, image, image_size, name, count, options, values);
    free(image);
    return result;
}

static inline MUresult musa_cuda_link_add_file(MUlinkState state, MUjitInputType type, const char *path,
                                               unsigned int count, MUjit_option *options, void **values) {
    char *text = type == MU_JIT_INPUT_PTX ? musa_cuda_text_of_file(path) : 0;
    const MUresult result = text ? musa_cuda_link_add_data(state, type, text, strlen(text) + 1, path, count, options, values)
                                 : muLinkAddFile(state, type, path, count, options, values);
    free(text);
    return result;
}

#undef cuModuleLoad
#undef cuModuleLoadData
#undef cuModuleLoadDataEx
#undef cuModuleLoadFatBinary
#undef cuLinkAddData
#undef cuLinkAddData_v2
#undef cuLinkAddFile
#undef cuLinkAddFile_v2
#define cuModuleLoad musa_cuda_module_load
#define cuModuleLoadData musa_cuda_module_load_data
#define cuModuleLoadDataEx musa_cuda_module_load_data_ex
#define cuModuleLoadFatBinary musa_cuda_module_load_data
#define cuLinkAddData musa_cuda_link_add_data
#define cuLinkAddData_v2 musa_cuda_link_add_data
#define cuLinkAddFile musa_cuda_link_add_file
#define cuLinkAddFile_v2 musa_cuda_link_add_file

#undef cuModuleGetGlobal
#undef cuModuleGetGlobal_v2
#define cuModuleGetGlobal musa_cuda_module_get_global
#define cuModuleGetGlobal_v2 musa_cuda_module_get_global
#undef cuFuncGetAttribute
#define cuFuncGetAttribute musa_cuda_func_get_attribute
#undef cuDeviceComputeCapability
#undef cuDriverGetVersion
#undef cuDeviceGetAttribute
#define cuDeviceComputeCapability musa_cuda_driver_compute_capability
#define cuDriverGetVersion musa_cuda_driver_version
#define cuDeviceGetAttribute musa_cuda_driver_attribute

#include <musa_cuda/adapters/library.h>

#endif
