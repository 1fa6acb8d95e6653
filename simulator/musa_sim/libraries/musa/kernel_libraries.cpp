// Libraries of kernels, by calls of the runtime, and their kernels, which are the driver's functions by another type.
#include "driver.h"

namespace {

musaJitOption* runtimes(MUjit_option* options) { return reinterpret_cast<musaJitOption*>(options); }
musaLibraryOption* runtimes(MUlibraryOption* options) { return reinterpret_cast<musaLibraryOption*>(options); }
static_assert(sizeof(MUjit_option) == sizeof(musaJitOption) && sizeof(MUlibraryOption) == sizeof(musaLibraryOption));

MUfunction function_of(MUkernel kernel) { return reinterpret_cast<MUfunction>(kernel); }

// Call runtime() while the device is current.
template <class Call>
MUresult call_on(MUdevice device, Call runtime) {
    int before = 0;
    return driver::call([&] {
        musaError_t error = musaGetDevice(&before);
        if (error == musaSuccess) error = musaSetDevice(device);
        if (error != musaSuccess) return error;
        error = runtime();
        musaSetDevice(before);
        return error;
    });
}

}  // namespace

MUSA_EXPORT MUresult muLibraryLoadData(MUlibrary* library, const void* code, MUjit_option* jit_options, void** jit_values,
                                       unsigned int jit_count, MUlibraryOption* options, void** values,
                                       unsigned int count) {
    return driver::call([=] {
        return musaLibraryLoadData(library, code, runtimes(jit_options), jit_values, jit_count, runtimes(options), values,
                                   count);
    });
}

MUSA_EXPORT MUresult muLibraryLoadFromFile(MUlibrary* library, const char* path, MUjit_option* jit_options,
                                           void** jit_values, unsigned int jit_count, MUlibraryOption* options,
                                           void** values, unsigned int count) {
    return driver::call([=] {
        return musaLibraryLoadFromFile(library, path, runtimes(jit_options), jit_values, jit_count, runtimes(options),
                                       values, count);
    });
}

MUSA_EXPORT MUresult muLibraryUnload(MUlibrary library) {
    return driver::call([=] { return musaLibraryUnload(library); });
}

MUSA_EXPORT MUresult muLibraryGetKernel(MUkernel* kernel, MUlibrary library, const char* name) {
    return driver::call([=] { return musaLibraryGetKernel(kernel, library, name); });
}

MUSA_EXPORT MUresult muLibraryGetKernelCount(unsigned int* count, MUlibrary library) {
    return driver::call([=] { return musaLibraryGetKernelCount(count, library); });
}

MUSA_EXPORT MUresult muLibraryEnumerateKernels(MUkernel* kernels, unsigned int count, MUlibrary library) {
    return driver::call([=] { return musaLibraryEnumerateKernels(kernels, count, library); });
}

MUSA_EXPORT MUresult muLibraryGetGlobal(MUdeviceptr* memory, size_t* bytes, MUlibrary library, const char* name) {
    void* address = nullptr;
    const MUresult result =
        driver::call([&] { return musaLibraryGetGlobal(memory ? &address : nullptr, bytes, library, name); });
    if (result == MUSA_SUCCESS && memory) *memory = driver::address(address);
    return result;
}

MUSA_EXPORT MUresult muKernelGetFunction(MUfunction* function, MUkernel kernel) {
    if (!function) return MUSA_ERROR_INVALID_VALUE;
    const char* name = nullptr;
    const MUresult result = muFuncGetName(&name, function_of(kernel));
    if (result == MUSA_SUCCESS) *function = function_of(kernel);
    return result;
}

MUSA_EXPORT MUresult muKernelGetAttribute(int* value, MUfunction_attribute attribute, MUkernel kernel, MUdevice device) {
    MUresult result = MUSA_SUCCESS;
    const MUresult found = call_on(device, [&] {
        result = muFuncGetAttribute(value, attribute, function_of(kernel));
        return musaSuccess;
    });
    return found != MUSA_SUCCESS ? found : result;
}

MUSA_EXPORT MUresult muKernelSetAttribute(MUfunction_attribute attribute, int value, MUkernel kernel, MUdevice device) {
    MUresult result = MUSA_SUCCESS;
    const MUresult found = call_on(device, [&] {
        result = muFuncSetAttribute(function_of(kernel), attribute, value);
        return musaSuccess;
    });
    return found != MUSA_SUCCESS ? found : result;
}

MUSA_EXPORT MUresult muKernelGetName(const char** name, MUkernel kernel) {
    return muFuncGetName(name, function_of(kernel));
}

MUSA_EXPORT MUresult muKernelGetParamInfo(MUkernel kernel, size_t index, size_t* offset, size_t* size) {
    return muFuncGetParamInfo(function_of(kernel), index, offset, size);
}
