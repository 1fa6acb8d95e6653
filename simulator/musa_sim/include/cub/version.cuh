/* The release whose interface the subset follows: that of muAlg 1.12.1, which is cub 1.12.1. */
#ifndef MUSA_CUB_VERSION_CUH
#define MUSA_CUB_VERSION_CUH

#define CUB_VERSION 101201
#define CUB_MAJOR_VERSION (CUB_VERSION / 100000)
#define CUB_MINOR_VERSION (CUB_VERSION / 100 % 1000)
#define CUB_SUBMINOR_VERSION (CUB_VERSION % 100)

#endif
