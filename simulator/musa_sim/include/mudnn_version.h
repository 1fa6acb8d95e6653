/* The version of muDNN whose names mudnn.h has: that of MUSA 5.1. How the numbers make MUDNN_VERSION follows from how
 * torch_musa compares it (docs/unverified.md, mudnn-names). */
#ifndef MUDNN_VERSION_H
#define MUDNN_VERSION_H

#define MUDNN_VERSION_MAJOR 3
#define MUDNN_VERSION_MINOR 3
#define MUDNN_VERSION_PATCH 0
#define MUDNN_VERSION (MUDNN_VERSION_MAJOR * 1000 + MUDNN_VERSION_MINOR * 100 + MUDNN_VERSION_PATCH)

#endif
