/* MUPTI's callbacks, where a thread enters and leaves a call of the runtime or the driver that submits work or waits for
 * it.
 *
 * Of MUpti_CallbackData, functionParams, functionReturnValue and symbolName are null pointers here. Of the resources,
 * only new contexts have a callback: where a thread first submits work to a device. Other domains than these:
 * MUPTI_ERROR_NOT_SUPPORTED. Numbers and layouts are CUPTI's (docs/unverified.md: mupti).
 */
#ifndef _MUPTI_CALLBACKS_H_
#define _MUPTI_CALLBACKS_H_

#include <musa.h>
#include <mupti_driver_cbid.h>
#include <mupti_result.h>
#include <mupti_runtime_cbid.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    MUPTI_CB_DOMAIN_INVALID = 0,
    MUPTI_CB_DOMAIN_DRIVER_API = 1,
    MUPTI_CB_DOMAIN_RUNTIME_API = 2,
    MUPTI_CB_DOMAIN_RESOURCE = 3,
    MUPTI_CB_DOMAIN_SYNCHRONIZE = 4,
    MUPTI_CB_DOMAIN_MTTX = 5,
    MUPTI_CB_DOMAIN_STATE = 6,
    MUPTI_CB_DOMAIN_SIZE = 7,
    MUPTI_CB_DOMAIN_FORCE_INT = 0x7fffffff
} MUpti_CallbackDomain;

typedef enum {
    MUPTI_CBID_RESOURCE_INVALID = 0,
    MUPTI_CBID_RESOURCE_CONTEXT_CREATED = 1,
    MUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING = 2,
    MUPTI_CBID_RESOURCE_STREAM_CREATED = 3,
    MUPTI_CBID_RESOURCE_STREAM_DESTROY_STARTING = 4,
    MUPTI_CBID_RESOURCE_MU_INIT_FINISHED = 5,
    MUPTI_CBID_RESOURCE_MODULE_LOADED = 6,
    MUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING = 7,
    MUPTI_CBID_RESOURCE_MODULE_PROFILED = 8,
    MUPTI_CBID_RESOURCE_GRAPH_CREATED = 9,
    MUPTI_CBID_RESOURCE_GRAPH_DESTROY_STARTING = 10,
    MUPTI_CBID_RESOURCE_GRAPH_CLONED = 11,
    MUPTI_CBID_RESOURCE_GRAPHNODE_CREATE_STARTING = 12,
    MUPTI_CBID_RESOURCE_GRAPHNODE_CREATED = 13,
    MUPTI_CBID_RESOURCE_GRAPHNODE_DESTROY_STARTING = 14,
    MUPTI_CBID_RESOURCE_GRAPHNODE_DEPENDENCY_CREATED = 15,
    MUPTI_CBID_RESOURCE_GRAPHNODE_DEPENDENCY_DESTROY_STARTING = 16,
    MUPTI_CBID_RESOURCE_GRAPHEXEC_CREATE_STARTING = 17,
    MUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED = 18,
    MUPTI_CBID_RESOURCE_GRAPHEXEC_DESTROY_STARTING = 19,
    MUPTI_CBID_RESOURCE_GRAPHNODE_CLONED = 20,
    MUPTI_CBID_RESOURCE_STREAM_ATTRIBUTE_CHANGED = 21,
    MUPTI_CBID_RESOURCE_SIZE = 22,
    MUPTI_CBID_RESOURCE_FORCE_INT = 0x7fffffff
} MUpti_CallbackIdResource;

typedef enum {
    MUPTI_CBID_SYNCHRONIZE_INVALID = 0,
    MUPTI_CBID_SYNCHRONIZE_STREAM_SYNCHRONIZED = 1,
    MUPTI_CBID_SYNCHRONIZE_CONTEXT_SYNCHRONIZED = 2,
    MUPTI_CBID_SYNCHRONIZE_SIZE = 3,
    MUPTI_CBID_SYNCHRONIZE_FORCE_INT = 0x7fffffff
} MUpti_CallbackIdSync;

typedef enum {
    MUPTI_API_ENTER = 0,
    MUPTI_API_EXIT = 1,
    MUPTI_API_CBSITE_FORCE_INT = 0x7fffffff
} MUpti_ApiCallbackSite;

typedef uint32_t MUpti_CallbackId;

typedef struct {
    MUpti_ApiCallbackSite callbackSite;
    const char* functionName;
    const void* functionParams;
    void* functionReturnValue;
    const char* symbolName;
    MUcontext context;
    uint32_t contextUid;
    uint64_t* correlationData; /* the callback's own, from where the call is entered to where it is left */
    uint32_t correlationId;
} MUpti_CallbackData;

typedef struct {
    MUcontext context;
    union {
        MUstream stream;
    } resourceHandle;
    void* resourceDescriptor;
} MUpti_ResourceData;

typedef void(MUPTIAPI* MUpti_CallbackFunc)(void* userdata, MUpti_CallbackDomain domain, MUpti_CallbackId cbid,
                                           const void* cbdata);

struct MUpti_Subscriber_st;
typedef struct MUpti_Subscriber_st* MUpti_SubscriberHandle;

/* One subscriber at a time. */
MUptiResult MUPTIAPI muptiSubscribe(MUpti_SubscriberHandle* subscriber, MUpti_CallbackFunc callback, void* userdata);
MUptiResult MUPTIAPI muptiUnsubscribe(MUpti_SubscriberHandle subscriber);
MUptiResult MUPTIAPI muptiEnableCallback(uint32_t enable, MUpti_SubscriberHandle subscriber,
                                         MUpti_CallbackDomain domain, MUpti_CallbackId cbid);
MUptiResult MUPTIAPI muptiEnableDomain(uint32_t enable, MUpti_SubscriberHandle subscriber, MUpti_CallbackDomain domain);
MUptiResult MUPTIAPI muptiGetCallbackName(MUpti_CallbackDomain domain, uint32_t cbid, const char** name);

#ifdef __cplusplus
}
#endif

#endif
