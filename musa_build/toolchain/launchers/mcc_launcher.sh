#!/bin/sh
# Usage: mcc_launcher.sh CHECK CCACHE MCC ARGUMENT...
#
# Runs `CCACHE MCC ARGUMENT...` although ccache refuses `-x musa` (as of 4.7: "Unsupported source language"). ccache is
# shown `-x cuda`, a language that it knows, and this script in mcc's place; started by ccache, the script puts `-x musa`
# back and becomes mcc. CHECK stands for mcc in the cache's key: "string:" and a digest of its version.
#
# Depend mode always: otherwise ccache compares preprocessed sources, and mcc -E shows the host's part alone.
if [ -z "${MUSA_BUILD_MCC-}" ]; then
    export CCACHE_COMPILERCHECK="$1" CCACHE_COMPILERTYPE=clang CCACHE_DEPEND=1 MUSA_BUILD_MCC="$3"
    ccache=$2 real=$0 from=musa to=cuda
    shift 3
else
    ccache= real=$MUSA_BUILD_MCC from=cuda to=musa
fi

# Walks through the arguments once: each is taken from the front and put back at the end.
previous=
count=$#
while [ "$count" -gt 0 ]; do
    word=$1
    shift
    [ "$previous" = -x ] && [ "$word" = $from ] && word=$to
    set -- "$@" "$word"
    previous=$word
    count=$((count - 1))
done
exec ${ccache:+"$ccache"} "$real" "$@"
