#!/bin/sh
# Usage: mcc_launcher.sh CHECK CCACHE MCC ARGUMENT...
#
# Runs `CCACHE MCC ARGUMENT...`, although ccache rejects `-x musa` (as of 4.7: "Unsupported source language"). ccache gets
# `-x cuda`, a language that it supports, and this script in place of mcc. When ccache runs the script, it restores
# `-x musa` and executes mcc. CHECK identifies mcc in the cache's key: "string:" and a digest of its version.
#
# ccache always runs in depend mode. Otherwise it compares preprocessed sources, but mcc -E prints only the host's part.
if [ -z "${MUSA_BUILD_MCC-}" ]; then
    export CCACHE_COMPILERCHECK="$1" CCACHE_COMPILERTYPE=clang CCACHE_DEPEND=1 MUSA_BUILD_MCC="$3"
    ccache=$2 real=$0 from=musa to=cuda
    shift 3
else
    ccache= real=$MUSA_BUILD_MCC from=cuda to=musa
fi

# Replace the language: take each argument from the front once and append it.
previous=
count=$#
while [ "$count" -gt 0 ]; do
    argument=$1
    shift
    [ "$previous" = -x ] && [ "$argument" = $from ] && argument=$to
    set -- "$@" "$argument"
    previous=$argument
    count=$((count - 1))
done
exec ${ccache:+"$ccache"} "$real" "$@"
