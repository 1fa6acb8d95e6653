/* muRAND's host API: random numbers into device memory, or with murandCreateGeneratorHost into the host's.
 *
 * Generators: XORWOW (the default), MRG32k3a, Philox4_32_10 and Sobol's. Creating another one is MURAND_STATUS_TYPE_ERROR.
 * Numbers are made in the order of the generator's stream.
 */
#ifndef MURAND_H_
#define MURAND_H_

#include <musa_runtime.h>
#include <stddef.h>

#define MURAND_VER_MAJOR 1
#define MURAND_VER_MINOR 3
#define MURAND_VER_PATCH 0
#define MURAND_VERSION (MURAND_VER_MAJOR * 10000 + MURAND_VER_MINOR * 100 + MURAND_VER_PATCH)

#ifndef MURANDAPI
#define MURANDAPI
#endif

typedef enum murandStatus {
    MURAND_STATUS_SUCCESS = 0,
    MURAND_STATUS_VERSION_MISMATCH = 100,
    MURAND_STATUS_NOT_INITIALIZED = 101,
    MURAND_STATUS_ALLOCATION_FAILED = 102,
    MURAND_STATUS_TYPE_ERROR = 103,
    MURAND_STATUS_OUT_OF_RANGE = 104,
    MURAND_STATUS_LENGTH_NOT_MULTIPLE = 105,
    MURAND_STATUS_DOUBLE_PRECISION_REQUIRED = 106,
    MURAND_STATUS_LAUNCH_FAILURE = 201,
    MURAND_STATUS_PREEXISTING_FAILURE = 202,
    MURAND_STATUS_INITIALIZATION_FAILED = 203,
    MURAND_STATUS_ARCH_MISMATCH = 204,
    MURAND_STATUS_INTERNAL_ERROR = 999
} murandStatus_t;

typedef enum murandRngType {
    MURAND_RNG_TEST = 0,
    MURAND_RNG_PSEUDO_DEFAULT = 100,
    MURAND_RNG_PSEUDO_XORWOW = 101,
    MURAND_RNG_PSEUDO_MRG32K3A = 121,
    MURAND_RNG_PSEUDO_MTGP32 = 141,
    MURAND_RNG_PSEUDO_MT19937 = 142,
    MURAND_RNG_PSEUDO_PHILOX4_32_10 = 161,
    MURAND_RNG_QUASI_DEFAULT = 200,
    MURAND_RNG_QUASI_SOBOL32 = 201,
    MURAND_RNG_QUASI_SCRAMBLED_SOBOL32 = 202,
    MURAND_RNG_QUASI_SOBOL64 = 203,
    MURAND_RNG_QUASI_SCRAMBLED_SOBOL64 = 204
} murandRngType_t;

typedef enum murandOrdering {
    MURAND_ORDERING_PSEUDO_BEST = 100,
    MURAND_ORDERING_PSEUDO_DEFAULT = 101,
    MURAND_ORDERING_PSEUDO_SEEDED = 102,
    MURAND_ORDERING_QUASI_DEFAULT = 201
} murandOrdering_t;

typedef enum murandDirectionVectorSet {
    MURAND_DIRECTION_VECTORS_32_JOEKUO6 = 101,
    MURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6 = 102,
    MURAND_DIRECTION_VECTORS_64_JOEKUO6 = 103,
    MURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6 = 104
} murandDirectionVectorSet_t;

/* Of one dimension. */
typedef unsigned int murandDirectionVectors32_t[32];
typedef unsigned long long murandDirectionVectors64_t[64];

typedef struct murandGenerator_st *murandGenerator_t;

/* In device memory, for murand_discrete in kernels */
typedef struct murandDiscreteDistribution_st *murandDiscreteDistribution_t;

#ifdef __cplusplus
extern "C" {
#endif

murandStatus_t murandCreateGenerator(murandGenerator_t *generator, murandRngType_t rng_type);
murandStatus_t murandCreateGeneratorHost(murandGenerator_t *generator, murandRngType_t rng_type);
murandStatus_t murandDestroyGenerator(murandGenerator_t generator);
murandStatus_t murandGetVersion(int *version);
murandStatus_t murandSetStream(murandGenerator_t generator, musaStream_t stream);
murandStatus_t murandSetPseudoRandomGeneratorSeed(murandGenerator_t generator, unsigned long long seed);
murandStatus_t murandSetGeneratorOffset(murandGenerator_t generator, unsigned long long offset);
murandStatus_t murandSetGeneratorOrdering(murandGenerator_t generator, murandOrdering_t order);
/* From 1 to 20,000; pseudo-random generators have none (MURAND_STATUS_TYPE_ERROR). */
murandStatus_t murandSetQuasiRandomGeneratorDimensions(murandGenerator_t generator, unsigned int num_dimensions);
murandStatus_t murandGenerateSeeds(murandGenerator_t generator);

/* For XORWOW and MRG32k3a number n is the one at n / 4096 of subsequence n % 4096, as cuRAND documents its default order; for
 * Philox it is number n of subsequence 0. Sobol's generators write all numbers of the first dimension, then all of the second,
 * and so on: a count that is no multiple of the dimensions is MURAND_STATUS_LENGTH_NOT_MULTIPLE. */
murandStatus_t murandGenerate(murandGenerator_t generator, unsigned int *output, size_t count);
/* Of a generator of 64 bits, which murandGenerate refuses. */
murandStatus_t murandGenerateLongLong(murandGenerator_t generator, unsigned long long *output, size_t count);
murandStatus_t murandGenerateUniform(murandGenerator_t generator, float *output, size_t count);
murandStatus_t murandGenerateUniformDouble(murandGenerator_t generator, double *output, size_t count);
/* Pseudo-random normal numbers come in pairs: an odd count is MURAND_STATUS_LENGTH_NOT_MULTIPLE. */
murandStatus_t murandGenerateNormal(murandGenerator_t generator, float *output, size_t count, float mean,
                                    float stddev);
murandStatus_t murandGenerateNormalDouble(murandGenerator_t generator, double *output, size_t count, double mean,
                                          double stddev);
murandStatus_t murandGenerateLogNormal(murandGenerator_t generator, float *output, size_t count, float mean,
                                       float stddev);
murandStatus_t murandGenerateLogNormalDouble(murandGenerator_t generator, double *output, size_t count, double mean,
                                             double stddev);
murandStatus_t murandGeneratePoisson(murandGenerator_t generator, unsigned int *output, size_t count, double lambda);

/* lambda: more than 0, at most 400,000 */
murandStatus_t murandCreatePoissonDistribution(double lambda, murandDiscreteDistribution_t *discrete_distribution);
murandStatus_t murandDestroyDistribution(murandDiscreteDistribution_t discrete_distribution);
murandStatus_t murandGetProperty(libraryPropertyType type, int *value);

/* Kernels give these to murand_init for a state of Sobol's. They are of 20,000 dimensions, and the library's own. */
murandStatus_t murandGetDirectionVectors32(murandDirectionVectors32_t *vectors[], murandDirectionVectorSet_t set);
murandStatus_t murandGetDirectionVectors64(murandDirectionVectors64_t *vectors[], murandDirectionVectorSet_t set);
murandStatus_t murandGetScrambleConstants32(unsigned int **constants);
murandStatus_t murandGetScrambleConstants64(unsigned long long **constants);

#ifdef __cplusplus
}
#endif

#endif
