#pragma once

#include <torch/version.h>

/// True if the PyTorch that is compiled against is at least major.minor.
#define TORCH_MUSA_TORCH_AT_LEAST(major, minor) \
  (TORCH_VERSION_MAJOR > (major) || (TORCH_VERSION_MAJOR == (major) && TORCH_VERSION_MINOR >= (minor)))
