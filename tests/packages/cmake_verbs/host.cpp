#include "include/twice.h"

int main() { return twice(4) == 8 ? 0 : 1; }
