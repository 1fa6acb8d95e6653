/* NVTX's interface in C, written from its documentation: marks and ranges for profilers. No profiler reads them here, as with
 * NVIDIA's header where none is attached: the functions do nothing, and give what they then give.
 */
#ifndef MUSA_CUDA_ADAPTER_NVTX_H
#define MUSA_CUDA_ADAPTER_NVTX_H

#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

#define NVTX_VERSION 3
#define NVTX_SUCCESS 0
#define NVTX_FAIL 1
#define NVTX_NO_PUSH_POP_TRACKING ((int)-2)

typedef enum nvtxColorType_t { NVTX_COLOR_UNKNOWN = 0, NVTX_COLOR_ARGB = 1 } nvtxColorType_t;
typedef enum nvtxMessageType_t {
    NVTX_MESSAGE_UNKNOWN = 0, NVTX_MESSAGE_TYPE_ASCII = 1, NVTX_MESSAGE_TYPE_UNICODE = 2,
    NVTX_MESSAGE_TYPE_REGISTERED = 3
} nvtxMessageType_t;
typedef enum nvtxPayloadType_t {
    NVTX_PAYLOAD_UNKNOWN = 0, NVTX_PAYLOAD_TYPE_UNSIGNED_INT64 = 1, NVTX_PAYLOAD_TYPE_INT64 = 2,
    NVTX_PAYLOAD_TYPE_DOUBLE = 3, NVTX_PAYLOAD_TYPE_UNSIGNED_INT32 = 4, NVTX_PAYLOAD_TYPE_INT32 = 5,
    NVTX_PAYLOAD_TYPE_FLOAT = 6
} nvtxPayloadType_t;

typedef uint64_t nvtxRangeId_t;
typedef struct nvtxDomainRegistration_st *nvtxDomainHandle_t;
typedef struct nvtxStringRegistration_st *nvtxStringHandle_t;
typedef union nvtxMessageValue_t {
    const char *ascii;
    const wchar_t *unicode;
    nvtxStringHandle_t registered;
} nvtxMessageValue_t;
typedef struct nvtxEventAttributes_v2 {
    uint16_t version;
    uint16_t size;
    uint32_t category;
    int32_t colorType;
    uint32_t color;
    int32_t payloadType;
    int32_t reserved0;
    union payload_t {
        uint64_t ullValue;
        int64_t llValue;
        double dValue;
        uint32_t uiValue;
        int32_t iValue;
        float fValue;
    } payload;
    int32_t messageType;
    nvtxMessageValue_t message;
} nvtxEventAttributes_v2;
typedef nvtxEventAttributes_v2 nvtxEventAttributes_t;
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE ((uint16_t)sizeof(nvtxEventAttributes_t))

#define MUSA_CUDA_NVTX_NOTHING(name, parameters) \
    static inline void name parameters {}
#define MUSA_CUDA_NVTX_RESULT(type, name, parameters, result) \
    static inline type name parameters { return result; }

MUSA_CUDA_NVTX_NOTHING(nvtxInitialize, (const void *reserved __attribute__((unused))))
#define MUSA_CUDA_NVTX_TEXTS(suffix, text)                                                                             \
    MUSA_CUDA_NVTX_NOTHING(nvtxMark##suffix, (text message __attribute__((unused))))                                   \
    MUSA_CUDA_NVTX_RESULT(int, nvtxRangePush##suffix, (text message __attribute__((unused))),                          \
                          NVTX_NO_PUSH_POP_TRACKING)                                                                   \
    MUSA_CUDA_NVTX_RESULT(nvtxRangeId_t, nvtxRangeStart##suffix, (text message __attribute__((unused))), 0)
MUSA_CUDA_NVTX_TEXTS(A, const char *)
MUSA_CUDA_NVTX_TEXTS(W, const wchar_t *)
MUSA_CUDA_NVTX_TEXTS(Ex, const nvtxEventAttributes_t *)
MUSA_CUDA_NVTX_RESULT(int, nvtxRangePop, (void), NVTX_NO_PUSH_POP_TRACKING)
MUSA_CUDA_NVTX_NOTHING(nvtxRangeEnd, (nvtxRangeId_t id __attribute__((unused))))

#define MUSA_CUDA_NVTX_NAMES(suffix, text)                                                                             \
    MUSA_CUDA_NVTX_RESULT(nvtxDomainHandle_t, nvtxDomainCreate##suffix, (text name __attribute__((unused))), 0)        \
    MUSA_CUDA_NVTX_RESULT(nvtxStringHandle_t, nvtxDomainRegisterString##suffix,                                        \
                          (nvtxDomainHandle_t domain __attribute__((unused)), text name __attribute__((unused))), 0)   \
    MUSA_CUDA_NVTX_NOTHING(nvtxNameCategory##suffix,                                                                   \
                           (uint32_t category __attribute__((unused)), text name __attribute__((unused))))             \
    MUSA_CUDA_NVTX_NOTHING(nvtxDomainNameCategory##suffix,                                                             \
                           (nvtxDomainHandle_t domain __attribute__((unused)),                                         \
                            uint32_t category __attribute__((unused)), text name __attribute__((unused))))             \
    MUSA_CUDA_NVTX_NOTHING(nvtxNameOsThread##suffix,                                                                   \
                           (uint32_t thread __attribute__((unused)), text name __attribute__((unused))))
MUSA_CUDA_NVTX_NAMES(A, const char *)
MUSA_CUDA_NVTX_NAMES(W, const wchar_t *)

#define MUSA_CUDA_NVTX_DOMAIN nvtxDomainHandle_t domain __attribute__((unused))
#define MUSA_CUDA_NVTX_EVENT const nvtxEventAttributes_t *event __attribute__((unused))
MUSA_CUDA_NVTX_NOTHING(nvtxDomainDestroy, (MUSA_CUDA_NVTX_DOMAIN))
MUSA_CUDA_NVTX_NOTHING(nvtxDomainMarkEx, (MUSA_CUDA_NVTX_DOMAIN, MUSA_CUDA_NVTX_EVENT))
MUSA_CUDA_NVTX_RESULT(int, nvtxDomainRangePushEx, (MUSA_CUDA_NVTX_DOMAIN, MUSA_CUDA_NVTX_EVENT),
                      NVTX_NO_PUSH_POP_TRACKING)
MUSA_CUDA_NVTX_RESULT(int, nvtxDomainRangePop, (MUSA_CUDA_NVTX_DOMAIN), NVTX_NO_PUSH_POP_TRACKING)
MUSA_CUDA_NVTX_RESULT(nvtxRangeId_t, nvtxDomainRangeStartEx, (MUSA_CUDA_NVTX_DOMAIN, MUSA_CUDA_NVTX_EVENT), 0)
MUSA_CUDA_NVTX_NOTHING(nvtxDomainRangeEnd, (MUSA_CUDA_NVTX_DOMAIN, nvtxRangeId_t id __attribute__((unused))))
#undef MUSA_CUDA_NVTX_DOMAIN
#undef MUSA_CUDA_NVTX_EVENT
#undef MUSA_CUDA_NVTX_NAMES
#undef MUSA_CUDA_NVTX_TEXTS
#undef MUSA_CUDA_NVTX_RESULT
#undef MUSA_CUDA_NVTX_NOTHING

#ifdef UNICODE
#define nvtxMark nvtxMarkW
#define nvtxRangePush nvtxRangePushW
#define nvtxRangeStart nvtxRangeStartW
#define nvtxDomainCreate nvtxDomainCreateW
#define nvtxDomainRegisterString nvtxDomainRegisterStringW
#define nvtxNameCategory nvtxNameCategoryW
#define nvtxDomainNameCategory nvtxDomainNameCategoryW
#define nvtxNameOsThread nvtxNameOsThreadW
#else
#define nvtxMark nvtxMarkA
#define nvtxRangePush nvtxRangePushA
#define nvtxRangeStart nvtxRangeStartA
#define nvtxDomainCreate nvtxDomainCreateA
#define nvtxDomainRegisterString nvtxDomainRegisterStringA
#define nvtxNameCategory nvtxNameCategoryA
#define nvtxDomainNameCategory nvtxDomainNameCategoryA
#define nvtxNameOsThread nvtxNameOsThreadA
#endif

#endif
