/* The version of muDNN that mudnn.h follows: that of MUSA 5.1. torch_musa's comparisons show how the numbers make
 * MUDNN_VERSION (docs/unverified.md, mudnn-names). */
#ifndef MUDNN_VERSION_H
#define MUDNN_VERSION_H

#define MUDNN_VERSION_MAJOR 3
#define MUDNN_VERSION_MINOR 3
#define MUDNN_VERSION_PATCH 0
#define MUDNN_VERSION (MUDNN_VERSION_MAJOR * 1000 + MUDNN_VERSION_MINOR * 100 + MUDNN_VERSION_PATCH)

#endif
