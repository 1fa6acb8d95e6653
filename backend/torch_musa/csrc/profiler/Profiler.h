#pragma once

namespace torch::musa {

/// True if torch.profiler shows what musa devices do: this PyTorch lets a device bring its own profiler.
bool profiles_device();

} // namespace torch::musa
