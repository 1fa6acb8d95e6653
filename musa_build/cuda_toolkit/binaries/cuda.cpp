// libcuda's functions that are not the SDK's: those that tell numbers or names of CUDA.
#include <dlfcn.h>
#include <musa.h>

#include <musa_cuda/version.h>
#include <musa_cuda/adapters/driver.h>

#include "names.h"

#undef cuDeviceComputeCapability
#undef cuDeviceGetAttribute
#undef cuDriverGetVersion
#undef cuFuncGetAttribute
#undef cuModuleGetGlobal
#undef cuModuleGetGlobal_v2

CUDA_EXPORT MUresult cuDeviceComputeCapability(int *major, int *minor, MUdevice device) {
    return musa_cuda_driver_compute_capability(major, minor, device);
}

CUDA_EXPORT MUresult cuDeviceGetAttribute(int *value, int attribute, MUdevice device) {
    MUdevice_attribute ours = static_cast<MUdevice_attribute>(attribute);
    // CUDA 12 has given these numbers of their own.
    if (attribute == 122) ours = MU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS;
    if (attribute == 123) ours = MU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR;
    return musa_cuda_driver_attribute(value, ours, device);
}

CUDA_EXPORT MUresult cuModuleGetGlobal_v2(MUdeviceptr *memory, size_t *bytes, MUmodule module, const char *name) {
    return musa_cuda_module_get_global(memory, bytes, module, name);
}

CUDA_EXPORT MUresult cuFuncGetAttribute(int *value, MUfunction_attribute attribute, MUfunction function) {
    return musa_cuda_func_get_attribute(value, attribute, function);
}

CUDA_EXPORT MUresult cuDriverGetVersion(int *version) { return musa_cuda_driver_version(version); }

static MUresult named(MUresult result, const char **name) {
    if (result == MUSA_SUCCESS && name) *name = musa_cuda::renamed(*name, "MUSA", "CUDA");
    return result;
}

CUDA_EXPORT MUresult cuGetErrorName(MUresult error, const char **name) { return named(muGetErrorName(error, name), name); }

// The functions of this library, by CUDA's names. `version` and `flags` choose among forms that are one here.
CUDA_EXPORT MUresult cuGetProcAddress_v2(const char *name, void **function, int version, uint64_t flags, int *status) {
    if (!name || !function || version < 0 || flags > 2) return MUSA_ERROR_INVALID_VALUE;
    Dl_info here{};
    dladdr(reinterpret_cast<void *>(&cuGetErrorName), &here);
    static void *const library = dlopen(here.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    *function = library ? dlsym(library, name) : nullptr;
    if (status) *status = *function ? 0 : 1;  // CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND
    return *function ? MUSA_SUCCESS : MUSA_ERROR_NOT_FOUND;
}

CUDA_EXPORT MUresult cuGetProcAddress(const char *name, void **function, int version, uint64_t flags) {
    return cuGetProcAddress_v2(name, function, version, flags, nullptr);
}
