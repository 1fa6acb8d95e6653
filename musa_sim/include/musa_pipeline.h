/* The primitives of musa_pipeline_primitives.h; there is no musa::pipeline. */
#include <musa_pipeline_primitives.h>
