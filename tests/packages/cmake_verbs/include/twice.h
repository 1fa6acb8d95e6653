#pragma once
// Returns 2 * value, computed on the device; a negative number when that failed.
int twice(int value);
