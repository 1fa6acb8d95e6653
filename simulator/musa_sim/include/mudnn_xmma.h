/* Products of matrices, convolutions and attention: the real header declares these classes of muDNN
 * (docs/known.md). Here mudnn.h has them all.
 */
#include "mudnn.h"
