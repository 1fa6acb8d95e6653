/* The primitives of musa_pipeline_primitives.h; there is no musa::pipeline. */
#ifndef _MUSA_PIPELINE_H_
#define _MUSA_PIPELINE_H_

#include <musa_pipeline_primitives.h>

#endif
