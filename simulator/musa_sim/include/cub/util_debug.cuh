/* CubDebug and CubDebugExit */
#include <cub/util_device.cuh>
