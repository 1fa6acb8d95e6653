// refuted by compile-error
// expect pitched=32
// expect extent=24
// expect copy=160
// expect texture_resource=4
// expect wrap=0
// expect border=3
// expect linear=1
// expect release_threshold=4
// expect read_mostly=1
#include "probe.h"
int main() {
    fact("pitched", static_cast<long long>(sizeof(musaPitchedPtr)));
    fact("extent", static_cast<long long>(sizeof(musaExtent)));
    fact("copy", static_cast<long long>(sizeof(musaMemcpy3DParms)));
    musaResourceDesc description;
    fact("texture_resource", static_cast<long long>(sizeof description.resType));
    fact("wrap", static_cast<long long>(musaAddressModeWrap));
    fact("border", static_cast<long long>(musaAddressModeBorder));
    fact("linear", static_cast<long long>(musaFilterModeLinear));
    fact("release_threshold", static_cast<long long>(musaMemPoolAttrReleaseThreshold));
    fact("read_mostly", static_cast<long long>(musaMemAdviseSetReadMostly));
}
