// Compiled by mcc, although it is named .cpp.
#ifndef __MUSACC__
#error this file is for mcc
#endif
static_assert(OPTION == 5, "OPTIONS");

int forced() { return OPTION; }
