# This mcc belongs to the SDK in which the modules lie: it works, or says in the first compilation why not.
set(CMAKE_MUSA_COMPILER_WORKS 1 CACHE INTERNAL "")
