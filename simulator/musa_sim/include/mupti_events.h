/* MUPTI's events. A CPU has no such counters: every function returns MUPTI_ERROR_NOT_SUPPORTED.
 *
 * Numbers and layouts are CUPTI's (docs/unverified.md: mupti).
 */
#ifndef _MUPTI_EVENTS_H_
#define _MUPTI_EVENTS_H_

#include <musa.h>
#include <mupti_result.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MUPTI_EVENT_OVERFLOW ((uint64_t)0xFFFFFFFFFFFFFFFFULL)
#define MUPTI_EVENT_INVALID ((uint64_t)0xFFFFFFFFFFFFFFFEULL)

typedef uint32_t MUpti_EventID;
typedef uint32_t MUpti_EventDomainID;
typedef void* MUpti_EventGroup;

typedef struct {
    uint32_t numEventGroups;
    MUpti_EventGroup* eventGroups;
} MUpti_EventGroupSet;

typedef struct {
    uint32_t numSets;
    MUpti_EventGroupSet* sets;
} MUpti_EventGroupSets;

typedef enum {
    MUPTI_EVENT_COLLECTION_MODE_CONTINUOUS = 0,
    MUPTI_EVENT_COLLECTION_MODE_KERNEL = 1,
    MUPTI_EVENT_COLLECTION_MODE_FORCE_INT = 0x7fffffff
} MUpti_EventCollectionMode;

typedef enum {
    MUPTI_EVENT_ATTR_NAME = 0,
    MUPTI_EVENT_ATTR_SHORT_DESCRIPTION = 1,
    MUPTI_EVENT_ATTR_LONG_DESCRIPTION = 2,
    MUPTI_EVENT_ATTR_CATEGORY = 3,
    MUPTI_EVENT_ATTR_PROFILING_SCOPE = 5,
    MUPTI_EVENT_ATTR_FORCE_INT = 0x7fffffff
} MUpti_EventAttribute;

typedef enum {
    MUPTI_EVENT_GROUP_ATTR_EVENT_DOMAIN_ID = 0,
    MUPTI_EVENT_GROUP_ATTR_PROFILE_ALL_DOMAIN_INSTANCES = 1,
    MUPTI_EVENT_GROUP_ATTR_USER_DATA = 2,
    MUPTI_EVENT_GROUP_ATTR_NUM_EVENTS = 3,
    MUPTI_EVENT_GROUP_ATTR_EVENTS = 4,
    MUPTI_EVENT_GROUP_ATTR_INSTANCE_COUNT = 5,
    MUPTI_EVENT_GROUP_ATTR_PROFILING_SCOPE = 6,
    MUPTI_EVENT_GROUP_ATTR_FORCE_INT = 0x7fffffff
} MUpti_EventGroupAttribute;

typedef enum {
    MUPTI_EVENT_READ_FLAG_NONE = 0,
    MUPTI_EVENT_READ_FLAG_FORCE_INT = 0x7fffffff
} MUpti_ReadEventFlags;

MUptiResult MUPTIAPI muptiSetEventCollectionMode(MUcontext context, MUpti_EventCollectionMode mode);
MUptiResult MUPTIAPI muptiDeviceGetNumEventDomains(MUdevice device, uint32_t* numDomains);
MUptiResult MUPTIAPI muptiEventGetAttribute(MUpti_EventID event, MUpti_EventAttribute attrib, size_t* valueSize,
    void* value);
MUptiResult MUPTIAPI muptiEventGetIdFromName(MUdevice device, const char* eventName, MUpti_EventID* event);
MUptiResult MUPTIAPI muptiEventGroupCreate(MUcontext context, MUpti_EventGroup* eventGroup, uint32_t flags);
MUptiResult MUPTIAPI muptiEventGroupDestroy(MUpti_EventGroup eventGroup);
MUptiResult MUPTIAPI muptiEventGroupGetAttribute(MUpti_EventGroup eventGroup, MUpti_EventGroupAttribute attrib,
    size_t* valueSize, void* value);
MUptiResult MUPTIAPI muptiEventGroupSetAttribute(MUpti_EventGroup eventGroup, MUpti_EventGroupAttribute attrib,
    size_t valueSize, void* value);
MUptiResult MUPTIAPI muptiEventGroupAddEvent(MUpti_EventGroup eventGroup, MUpti_EventID event);
MUptiResult MUPTIAPI muptiEventGroupRemoveEvent(MUpti_EventGroup eventGroup, MUpti_EventID event);
MUptiResult MUPTIAPI muptiEventGroupRemoveAllEvents(MUpti_EventGroup eventGroup);
MUptiResult MUPTIAPI muptiEventGroupResetAllEvents(MUpti_EventGroup eventGroup);
MUptiResult MUPTIAPI muptiEventGroupEnable(MUpti_EventGroup eventGroup);
MUptiResult MUPTIAPI muptiEventGroupDisable(MUpti_EventGroup eventGroup);
MUptiResult MUPTIAPI muptiEventGroupReadEvent(MUpti_EventGroup eventGroup, MUpti_ReadEventFlags flags,
    MUpti_EventID event, size_t* eventValueBufferSizeBytes, uint64_t* eventValueBuffer);
MUptiResult MUPTIAPI muptiEventGroupReadAllEvents(MUpti_EventGroup eventGroup, MUpti_ReadEventFlags flags,
    size_t* eventValueBufferSizeBytes, uint64_t* eventValueBuffer, size_t* eventIdArraySizeBytes, MUpti_EventID*
    eventIdArray, size_t* numEventIdsRead);
MUptiResult MUPTIAPI muptiEventGroupSetsCreate(MUcontext context, size_t eventIdArraySizeBytes, MUpti_EventID*
    eventIdArray, MUpti_EventGroupSets** eventGroupPasses);
MUptiResult MUPTIAPI muptiEventGroupSetsDestroy(MUpti_EventGroupSets* eventGroupSets);
MUptiResult MUPTIAPI muptiEventGroupSetEnable(MUpti_EventGroupSet* eventGroupSet);
MUptiResult MUPTIAPI muptiEventGroupSetDisable(MUpti_EventGroupSet* eventGroupSet);

#ifdef __cplusplus
}
#endif

#endif
