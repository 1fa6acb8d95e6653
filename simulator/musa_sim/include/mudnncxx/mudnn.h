/* The C++ interface of muDNN, under the name that it has from SDK 5.1 on (docs/known.md). Link with -lmudnncxx.
 *
 * There, mudnn.h is a C interface. No public source shows its names, so the simulated mudnn.h is the C++ one, as in
 * older SDKs.
 */
#include "../mudnn.h"
