/* Random numbers in kernels: the states Philox4_32_10, XORWOW, MRG32k3a and Sobol's, uniform, normal, log-normal and Poisson
 * numbers.
 *
 * cuRAND's generator MTGP32 is not there, so code that needs it does not compile.
 * Everything is host code as well: libmurand is made of it.
 */
#ifndef MURAND_KERNEL_H_
#define MURAND_KERNEL_H_

#include <math.h>
#include <murand.h>
#include <murand_discrete.h>
#include <murand_mrg32k3a.h>
#include <murand_normal.h>
#include <murand_philox4x32_10.h>
#include <murand_poisson.h>
#include <murand_sobol.h>
#include <murand_uniform.h>
#include <murand_xorwow.h>

#endif
