// refuted by compile-error
// expect init=1
// expect memory=1
#include <musaTypedefs.h>

#include <type_traits>

#include "probe.h"
int main() {
    fact("init", std::is_same<PFN_muInit, decltype(&muInit)>::value);
    fact("memory", std::is_same<PFN_muMemGetInfo, decltype(&muMemGetInfo)>::value);
}
