#include <cstdio>
#ifdef OF_MUSA
#error C++ got the flags of MUSA
#endif
int scaled(int); int own();
int main() { std::printf("%d %d\n", scaled(4), own()); }
