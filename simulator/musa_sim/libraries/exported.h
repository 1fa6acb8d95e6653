// The linkage of a library's functions: C names, visible to programs.
#pragma once

#define MUSA_EXPORT extern "C" __attribute__((visibility("default")))
