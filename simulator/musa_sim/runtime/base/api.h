// The public API with default visibility, so that the definitions in this directory are exported
// (everything else in libmusart is hidden).
#pragma once

#pragma GCC visibility push(default)
#include <musa_runtime_api.h>
#pragma GCC visibility pop
