/* MTRTC: compiles a text at run time, for muModuleLoadData. NVRTC's counterpart.
 *
 * The functions' names are in Moore Threads' documentation, the numbers of results in MooreThreads/paddle_musa; the
 * arguments, and what an option means, are NVRTC's (docs/unverified.md: mtrtc-interface). The SDK's mcc does the work, so a
 * text may include all of the SDK's headers. Without an option for it, the architecture is mcc's default.
 */
#ifndef _MTRTC_H_
#define _MTRTC_H_

#include <stddef.h>

#ifndef MTRTCAPI
#define MTRTCAPI
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct _mtrtcProgram *mtrtcProgram;

typedef enum {
    MTRTC_SUCCESS = 0,
    MTRTC_ERROR_OUT_OF_MEMORY = 1,
    MTRTC_ERROR_PROGRAM_CREATION_FAILURE = 2,
    MTRTC_ERROR_INVALID_INPUT = 3,
    MTRTC_ERROR_INVALID_PROGRAM = 4,
    MTRTC_ERROR_INVALID_OPTION = 5,
    MTRTC_ERROR_COMPILATION = 6,
    MTRTC_ERROR_BUILTIN_OPERATION_FAILURE = 7,
    MTRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION = 8,
    MTRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION = 9,
    MTRTC_ERROR_NAME_EXPRESSION_NOT_VALID = 10,
    MTRTC_ERROR_INTERNAL_ERROR = 11
} mtrtcResult;

mtrtcResult mtrtcVersion(int *major, int *minor);
const char *mtrtcGetErrorString(mtrtcResult result);

/* `name` appears in messages, and may be null. Headers are texts, which `#include` finds by their names. */
mtrtcResult mtrtcCreateProgram(mtrtcProgram *program, const char *source, const char *name, int header_count,
                               const char *const *headers, const char *const *include_names);
mtrtcResult mtrtcDestroyProgram(mtrtcProgram *program);
mtrtcResult mtrtcCompileProgram(mtrtcProgram program, int option_count, const char *const *options);

/* The log of the last compilation, with a final zero. */
mtrtcResult mtrtcGetProgramLogSize(mtrtcProgram program, size_t *size);
mtrtcResult mtrtcGetProgramLog(mtrtcProgram program, char *log);

/* The fat binary. */
mtrtcResult mtrtcGetFatBinSize(mtrtcProgram program, size_t *size);
mtrtcResult mtrtcGetFatBin(mtrtcProgram program, char *image);

/* Register the C++ name of a kernel or a variable, such as "scale<float>", before the compilation; mtrtcGetLoweredName
 * then returns its name for muModuleGetFunction or muModuleGetGlobal. It lives until the next compilation. */
mtrtcResult mtrtcAddNameExpression(mtrtcProgram program, const char *expression);
mtrtcResult mtrtcGetLoweredName(mtrtcProgram program, const char *expression, const char **lowered_name);

#ifdef __cplusplus
}
#endif

#endif
