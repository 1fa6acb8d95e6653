/* musaCreateChannelDesc: what an element of an array or texture is. */
#ifndef __CHANNEL_DESCRIPTOR_H__
#define __CHANNEL_DESCRIPTOR_H__

#include <driver_types.h>

static inline struct musaChannelFormatDesc musaCreateChannelDesc(int x, int y, int z, int w,
                                                                 enum musaChannelFormatKind f) {
    struct musaChannelFormatDesc made = {x, y, z, w, f};
    return made;
}

#endif
