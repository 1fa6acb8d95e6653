/* musaCreateChannelDesc: what an element of an array or texture is. */
#ifndef __CHANNEL_DESCRIPTOR_H__
#define __CHANNEL_DESCRIPTOR_H__

#include <musa_runtime_api.h>

#endif
