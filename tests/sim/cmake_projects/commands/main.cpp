#include <cstdio>
#include <musa_runtime_api.h>
int scaled(int); int extra(); int launch();
int main() { std::printf("%d %d %d\n", scaled(4), extra(), launch()); }
