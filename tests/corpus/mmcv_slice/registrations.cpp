// mmcv's table of device implementations, ported, whole. It calls the launchers of all operators; those that are not in
// device.mu stay unresolved, which is harmless for a module that is loaded lazily, as long as nobody calls them.
#include "pytorch/cuda/cudabind.cpp"
