#include "twice.h"

int forced();

int main() { return twice(21) == 42 && forced() == 5 ? 0 : 1; }
