/* muSOLVER for dense matrices: the types, and functions that link and fail.
 *
 * Handles can be made, and carry a stream. Every other function returns MUSOLVER_STATUS_NOT_SUPPORTED and says so once
 * on stderr: the simulator factorises no matrices. Which functions there are: musa_sim/musolver_refused.h.
 */
#ifndef MUSOLVERDN_H
#define MUSOLVERDN_H

#include <musolver_common.h>

typedef struct musolverDnContext *musolverDnHandle_t;

#ifdef __cplusplus
extern "C" {
#endif

musolverStatus_t musolverDnCreate(musolverDnHandle_t *handle);
musolverStatus_t musolverDnDestroy(musolverDnHandle_t handle);
musolverStatus_t musolverDnSetStream(musolverDnHandle_t handle, musaStream_t stream);
musolverStatus_t musolverDnGetStream(musolverDnHandle_t handle, musaStream_t *stream);

#define MUSA_SIM_REFUSED(name, parameters) musolverStatus_t name parameters;
#include <musa_sim/musolver_refused.h>
#undef MUSA_SIM_REFUSED

#ifdef __cplusplus
}
#endif

#endif
