/* Libraries of code and their kernels, which CUDA 12's driver added to modules. Here a library is a module of the current
 * context, and a kernel is its function, so a cast between CUkernel and CUfunction holds as with CUDA. With several
 * devices, load a library for each. This holds for SDKs with libraries of their own as well, of which no module is known.
 */
#ifndef MUSA_CUDA_ADAPTER_LIBRARY_H
#define MUSA_CUDA_ADAPTER_LIBRARY_H

#ifndef CUlibrary
typedef struct CUlib_st *CUlibrary;
typedef struct CUkern_st *CUkernel;
#endif

static inline MUresult musa_cuda_library_load_data(CUlibrary *library, const void *code, MUjit_option *options,
                                                   void **option_values, unsigned int option_count,
                                                   void *library_options, void **library_values,
                                                   unsigned int library_count) {
    (void)library_options, (void)library_values, (void)library_count;
    return musa_cuda_module_load_data_ex((MUmodule *)library, code, option_count, options, option_values);
}

static inline MUresult musa_cuda_library_load_file(CUlibrary *library, const char *file, MUjit_option *options,
                                                   void **option_values, unsigned int option_count,
                                                   void *library_options, void **library_values,
                                                   unsigned int library_count) {
    (void)options, (void)option_values, (void)option_count;
    (void)library_options, (void)library_values, (void)library_count;
    return musa_cuda_module_load((MUmodule *)library, file);
}

static inline MUresult musa_cuda_library_unload(CUlibrary library) { return muModuleUnload((MUmodule)library); }

static inline MUresult musa_cuda_library_kernel(CUkernel *kernel, CUlibrary library, const char *name) {
    return muModuleGetFunction((MUfunction *)kernel, (MUmodule)library, name);
}

static inline MUresult musa_cuda_library_global(MUdeviceptr *memory, size_t *bytes, CUlibrary library,
                                                const char *name) {
    return musa_cuda_module_get_global(memory, bytes, (MUmodule)library, name);
}

/* A module does not tell its functions. */
static inline MUresult musa_cuda_library_count(unsigned int *count, CUlibrary library) {
    return count == 0 || library == 0 ? MUSA_ERROR_INVALID_VALUE : MUSA_ERROR_NOT_SUPPORTED;
}

static inline MUresult musa_cuda_library_list(CUkernel *kernels, unsigned int count, CUlibrary library) {
    return kernels == 0 || count == 0 || library == 0 ? MUSA_ERROR_INVALID_VALUE : MUSA_ERROR_NOT_SUPPORTED;
}

static inline MUresult musa_cuda_library_module(MUmodule *module, CUlibrary library) {
    if (module == 0 || library == 0) return MUSA_ERROR_INVALID_VALUE;
    *module = (MUmodule)library;
    return MUSA_SUCCESS;
}

static inline MUresult musa_cuda_kernel_function(MUfunction *function, CUkernel kernel) {
    if (function == 0 || kernel == 0) return MUSA_ERROR_INVALID_VALUE;
    *function = (MUfunction)kernel;
    return MUSA_SUCCESS;
}

static inline MUresult musa_cuda_kernel_get_attribute(int *value, MUfunction_attribute attribute, CUkernel kernel,
                                                      MUdevice device) {
    (void)device;
    return musa_cuda_func_get_attribute(value, attribute, (MUfunction)kernel);
}

static inline MUresult musa_cuda_kernel_set_attribute(MUfunction_attribute attribute, int value, CUkernel kernel,
                                                      MUdevice device) {
    (void)device;
    return muFuncSetAttribute((MUfunction)kernel, attribute, value);
}

static inline MUresult musa_cuda_kernel_set_cache(CUkernel kernel, MUfunc_cache config, MUdevice device) {
    (void)device;
    return muFuncSetCacheConfig((MUfunction)kernel, config);
}

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
#define cuLibraryLoadData musa_cuda_library_load_data
#define cuLibraryLoadFromFile musa_cuda_library_load_file
#define cuLibraryUnload musa_cuda_library_unload
#define cuLibraryGetKernel musa_cuda_library_kernel
#define cuLibraryGetKernelCount musa_cuda_library_count
#define cuLibraryEnumerateKernels musa_cuda_library_list
#define cuLibraryGetModule musa_cuda_library_module
#define cuLibraryGetGlobal musa_cuda_library_global
#define cuLibraryGetManaged musa_cuda_library_global
#define cuKernelGetFunction musa_cuda_kernel_function
#define cuKernelGetAttribute musa_cuda_kernel_get_attribute
#define cuKernelSetAttribute musa_cuda_kernel_set_attribute
#define cuKernelSetCacheConfig musa_cuda_kernel_set_cache

/* MUSA loads modules as a whole, with all their functions. */
#ifndef cuModuleGetLoadingMode
static inline MUresult musa_cuda_loading_mode(CUmoduleLoadingMode *mode) {
    if (mode == 0) return MUSA_ERROR_INVALID_VALUE;
    *mode = CU_MODULE_EAGER_LOADING;
    return MUSA_SUCCESS;
}
#define cuModuleGetLoadingMode musa_cuda_loading_mode
#endif

#ifndef cuFuncLoad
static inline MUresult musa_cuda_func_load(MUfunction function) {
    return function ? MUSA_SUCCESS : MUSA_ERROR_INVALID_HANDLE;
}

static inline MUresult musa_cuda_func_is_loaded(CUfunctionLoadingState *state, MUfunction function) {
    if (state == 0 || function == 0) return MUSA_ERROR_INVALID_VALUE;
    *state = CU_FUNCTION_LOADING_STATE_LOADED;
    return MUSA_SUCCESS;
}
#define cuFuncLoad musa_cuda_func_load
#define cuFuncIsLoaded musa_cuda_func_is_loaded
#endif

/* CUDA 12.2's forms take a location: all memory of the host is one to MUSA (as in runtime.h). */
#if defined(CU_MEM_LOCATION_TYPE_DEVICE) && !defined(cuMemPrefetchAsync_v2)
static inline MUdevice musa_cuda_driver_device_of(MUmemLocation location) {
    if (location.type == CU_MEM_LOCATION_TYPE_DEVICE) return location.id;
    return (int)location.type >= 2 && (int)location.type <= 4 ? MU_DEVICE_CPU : MU_DEVICE_INVALID;
}

static inline MUresult musa_cuda_driver_prefetch_to(MUdeviceptr memory, size_t bytes, MUmemLocation location,
                                                    unsigned int flags, MUstream stream) {
    if (flags) return MUSA_ERROR_INVALID_VALUE;
    return muMemPrefetchAsync(memory, bytes, musa_cuda_driver_device_of(location), stream);
}

static inline MUresult musa_cuda_driver_advise_at(MUdeviceptr memory, size_t bytes, MUmem_advise advice,
                                                  MUmemLocation location) {
    return muMemAdvise(memory, bytes, advice, musa_cuda_driver_device_of(location));
}
#define cuMemPrefetchAsync_v2 musa_cuda_driver_prefetch_to
#define cuMemAdvise_v2 musa_cuda_driver_advise_at
#endif

#endif
