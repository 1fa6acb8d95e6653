/* Functions that make the types of driver_types.h. Plain C. */
#ifndef __DRIVER_FUNCTIONS_H__
#define __DRIVER_FUNCTIONS_H__

#include <driver_types.h>

static inline struct musaPitchedPtr make_musaPitchedPtr(void* d, size_t p, size_t xsz, size_t ysz) {
    struct musaPitchedPtr made = {d, p, xsz, ysz};
    return made;
}

static inline struct musaPos make_musaPos(size_t x, size_t y, size_t z) {
    struct musaPos made = {x, y, z};
    return made;
}

static inline struct musaExtent make_musaExtent(size_t w, size_t h, size_t d) {
    struct musaExtent made = {w, h, d};
    return made;
}

#endif
