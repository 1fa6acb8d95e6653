/* The common part of all random number generators' states. */
#ifndef MUSA_SIM_RANDOM_STATE_H
#define MUSA_SIM_RANDOM_STATE_H

#include <host_defines.h>

#define MUSA_SIM_RANDOM __host__ __device__ static inline

namespace musa_sim_detail {

/* The second of the two normal numbers that Box and Muller's method makes at a time. */
struct NormalCache {
    float value;
    double value_double;
    bool has_value;
    bool has_value_double;
};

}  // namespace musa_sim_detail

#endif
