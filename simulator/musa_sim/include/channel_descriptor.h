/* musaCreateChannelDesc: describes the elements of an array or a texture. */
#ifndef __CHANNEL_DESCRIPTOR_H__
#define __CHANNEL_DESCRIPTOR_H__

#include <musa_runtime_api.h>

#endif
