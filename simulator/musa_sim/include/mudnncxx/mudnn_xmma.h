/* mudnn_xmma.h where it is from SDK 5.1 on (docs/known.md).
 */
#include "mudnn.h"
