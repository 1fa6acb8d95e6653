#pragma once

#include <c10/core/DeviceType.h>

namespace at::musa {

/// PyTorch has no device type of its own for MUSA: it is PrivateUse1, renamed "musa" from Python.
constexpr c10::DeviceType kMUSA = c10::DeviceType::PrivateUse1;

} // namespace at::musa

namespace at {

using musa::kMUSA;

} // namespace at

namespace c10::musa {

using at::musa::kMUSA;

} // namespace c10::musa
