/* NVRTC's functions are those of the toolkit's libnvrtc, which translates options and texts for MTRTC. */
#ifndef MUSA_CUDA_ADAPTER_NVRTC_H
#define MUSA_CUDA_ADAPTER_NVRTC_H

#undef nvrtcVersion
#undef nvrtcGetErrorString
#undef nvrtcGetNumSupportedArchs
#undef nvrtcGetSupportedArchs
#undef nvrtcCreateProgram
#undef nvrtcDestroyProgram
#undef nvrtcCompileProgram
#undef nvrtcGetPTXSize
#undef nvrtcGetPTX
#undef nvrtcGetCUBINSize
#undef nvrtcGetCUBIN
#undef nvrtcGetProgramLogSize
#undef nvrtcGetProgramLog
#undef nvrtcAddNameExpression
#undef nvrtcGetLoweredName

#ifdef __cplusplus
extern "C" {
#endif

nvrtcResult nvrtcVersion(int *major, int *minor);
const char *nvrtcGetErrorString(nvrtcResult result);
nvrtcResult nvrtcGetNumSupportedArchs(int *count);
nvrtcResult nvrtcGetSupportedArchs(int *architectures);
nvrtcResult nvrtcCreateProgram(nvrtcProgram *program, const char *source, const char *name, int header_count,
                               const char *const *headers, const char *const *include_names);
nvrtcResult nvrtcDestroyProgram(nvrtcProgram *program);
nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int option_count, const char *const *options);
/* The image that cuModuleLoadData takes: PTX is a text that holds it (image_text.h). */
nvrtcResult nvrtcGetPTXSize(nvrtcProgram program, size_t *size);
nvrtcResult nvrtcGetPTX(nvrtcProgram program, char *text);
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, size_t *size);
nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char *image);
nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, size_t *size);
nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char *log);
nvrtcResult nvrtcAddNameExpression(nvrtcProgram program, const char *expression);
nvrtcResult nvrtcGetLoweredName(nvrtcProgram program, const char *expression, const char **lowered_name);

#ifdef __cplusplus
}

#include <string>
#include <type_traits>
#include <typeinfo>
#include <cxxabi.h>
#include <cstdlib>

/* The name of a type, for name expressions. */
template <typename Type>
nvrtcResult nvrtcGetTypeName(std::string *result) {
    int status = 0;
    char *name = abi::__cxa_demangle(typeid(Type).name(), nullptr, nullptr, &status);
    if (!name) return NVRTC_ERROR_INTERNAL_ERROR;
    *result = name;
    std::free(name);
    return NVRTC_SUCCESS;
}
#endif

#endif
