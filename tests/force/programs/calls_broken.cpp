#include <cstring>
#include <exception>
int broken_one();
extern "C" const char* call_broken() {
    static char said[1000] = "it ran";
    try { broken_one(); } catch (const std::exception& error) { strncpy(said, error.what(), sizeof said - 1); }
    return said;
}
