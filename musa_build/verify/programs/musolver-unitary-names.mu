// libraries musolver
// headers musolverDn.h
// refuted by compile-error
// expect named=2
#include <musolverDn.h>

#include "probe.h"
int main() {
    const void* functions[] = {reinterpret_cast<const void*>(&musolverDnCungqr),
                               reinterpret_cast<const void*>(&musolverDnCunmqr)};
    long long named = 0;
    for (const void* each : functions) named += each != nullptr;
    fact("named", named);
}
