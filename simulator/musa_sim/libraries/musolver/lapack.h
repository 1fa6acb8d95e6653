// LAPACK, which the simulator does not contain: a shared library with LAPACKE, its interface for C, whose integers have 32
// bits. It is opened when it is first needed:
//
// - the one that MUSA_SIM_LAPACK names
// - the one that the SDK was made with: of the package scipy-openblas32 (share/musa_sim/lapack)
// - the system's: liblapacke.so.3, or libopenblas.so.0
#pragma once

namespace lapack {

// Return whether there is a LAPACK; report its absence once.
bool is_there();

// Return the address of LAPACKE_<letter><routine>, nullptr if the library has none.
void* find(char letter, const char* routine);

template <class Function>
Function* function(char letter, const char* routine) {
    return reinterpret_cast<Function*>(find(letter, routine));
}

}  // namespace lapack
