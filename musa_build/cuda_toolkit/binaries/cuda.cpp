// libcuda's functions that are not the SDK's: those that tell numbers or names of CUDA.
#include <dlfcn.h>
#include <musa.h>

#include <musa_cuda/constants.h>
#include <musa_cuda/version.h>
#include <musa_cuda/adapters/driver.h>

#include "names.h"

#undef cuDeviceComputeCapability
#undef cuDeviceGetAttribute
#undef cuDriverGetVersion
#undef cuFuncGetAttribute
#undef cuModuleLoad
#undef cuModuleLoadData
#undef cuModuleLoadDataEx
#undef cuModuleLoadFatBinary
#undef cuLinkAddData
#undef cuLinkAddData_v2
#undef cuLinkAddFile
#undef cuLinkAddFile_v2
#undef cuModuleGetGlobal
#undef cuModuleGetGlobal_v2
#undef cuLibraryLoadData
#undef cuLibraryLoadFromFile
#undef cuLibraryUnload
#undef cuLibraryGetKernel
#undef cuLibraryGetKernelCount
#undef cuLibraryEnumerateKernels
#undef cuLibraryGetModule
#undef cuLibraryGetGlobal
#undef cuLibraryGetManaged
#undef cuKernelGetFunction
#undef cuKernelGetAttribute
#undef cuKernelSetAttribute
#undef cuKernelSetCacheConfig
#undef cuModuleGetLoadingMode
#undef cuFuncLoad
#undef cuFuncIsLoaded

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

CUDA_EXPORT MUresult cuModuleLoad(MUmodule *module, const char *path) { return musa_cuda_module_load(module, path); }

CUDA_EXPORT MUresult cuModuleLoadData(MUmodule *module, const void *code) {
    return musa_cuda_module_load_data(module, code);
}

CUDA_EXPORT MUresult cuModuleLoadDataEx(MUmodule *module, const void *code, unsigned count, MUjit_option *options,
                                        void **values) {
    return musa_cuda_module_load_data_ex(module, code, count, options, values);
}

CUDA_EXPORT MUresult cuModuleLoadFatBinary(MUmodule *module, const void *code) {
    return musa_cuda_module_load_data(module, code);
}

CUDA_EXPORT MUresult cuLinkAddData_v2(MUlinkState state, MUjitInputType type, void *data, size_t size, const char *name,
                                      unsigned count, MUjit_option *options, void **values) {
    return musa_cuda_link_add_data(state, type, data, size, name, count, options, values);
}

CUDA_EXPORT MUresult cuLinkAddFile_v2(MUlinkState state, MUjitInputType type, const char *path, unsigned count,
                                      MUjit_option *options, void **values) {
    return musa_cuda_link_add_file(state, type, path, count, options, values);
}

CUDA_EXPORT MUresult cuFuncGetAttribute(int *value, MUfunction_attribute attribute, MUfunction function) {
    return musa_cuda_func_get_attribute(value, attribute, function);
}

CUDA_EXPORT MUresult cuDriverGetVersion(int *version) { return musa_cuda_driver_version(version); }

// CUDA 12's additions of library.h, under their names.
CUDA_EXPORT MUresult cuLibraryLoadData(CUlibrary *library, const void *code, MUjit_option *options, void **values, unsigned count, void *others,
         void **other_values, unsigned other_count) {
    return musa_cuda_library_load_data(library, code, options, values, count, others, other_values, other_count);
}
CUDA_EXPORT MUresult cuLibraryLoadFromFile(CUlibrary *library, const char *file, MUjit_option *options, void **values, unsigned count, void *others,
         void **other_values, unsigned other_count) {
    return musa_cuda_library_load_file(library, file, options, values, count, others, other_values, other_count);
}
CUDA_EXPORT MUresult cuLibraryUnload(CUlibrary library) {
    return musa_cuda_library_unload(library);
}
CUDA_EXPORT MUresult cuLibraryGetKernel(CUkernel *kernel, CUlibrary library, const char *name) {
    return musa_cuda_library_kernel(kernel, library, name);
}
CUDA_EXPORT MUresult cuLibraryGetKernelCount(unsigned *count, CUlibrary library) {
    return musa_cuda_library_count(count, library);
}
CUDA_EXPORT MUresult cuLibraryEnumerateKernels(CUkernel *kernels, unsigned count, CUlibrary library) {
    return musa_cuda_library_list(kernels, count, library);
}
CUDA_EXPORT MUresult cuLibraryGetModule(MUmodule *module, CUlibrary library) {
    return musa_cuda_library_module(module, library);
}
CUDA_EXPORT MUresult cuLibraryGetGlobal(MUdeviceptr *memory, size_t *bytes, CUlibrary library, const char *name) {
    return musa_cuda_library_global(memory, bytes, library, name);
}
CUDA_EXPORT MUresult cuLibraryGetManaged(MUdeviceptr *memory, size_t *bytes, CUlibrary library, const char *name) {
    return musa_cuda_library_global(memory, bytes, library, name);
}
CUDA_EXPORT MUresult cuKernelGetFunction(MUfunction *function, CUkernel kernel) {
    return musa_cuda_kernel_function(function, kernel);
}
CUDA_EXPORT MUresult cuKernelGetAttribute(int *value, MUfunction_attribute attribute, CUkernel kernel, MUdevice device) {
    return musa_cuda_kernel_get_attribute(value, attribute, kernel, device);
}
CUDA_EXPORT MUresult cuKernelSetAttribute(MUfunction_attribute attribute, int value, CUkernel kernel, MUdevice device) {
    return musa_cuda_kernel_set_attribute(attribute, value, kernel, device);
}
CUDA_EXPORT MUresult cuKernelSetCacheConfig(CUkernel kernel, MUfunc_cache config, MUdevice device) {
    return musa_cuda_kernel_set_cache(kernel, config, device);
}
CUDA_EXPORT MUresult cuModuleGetLoadingMode(CUmoduleLoadingMode *mode) {
    return musa_cuda_loading_mode(mode);
}
CUDA_EXPORT MUresult cuFuncLoad(MUfunction function) {
    return musa_cuda_func_load(function);
}
CUDA_EXPORT MUresult cuFuncIsLoaded(CUfunctionLoadingState *state, MUfunction function) {
    return musa_cuda_func_is_loaded(state, function);
}

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
