#!/bin/sh
# Remake the IR that a clang writes for kernels.mu: make_golden.sh NAME CLANG [WORDS...] (19 clang-19; 22 .../zig clang)
set -eu
name=$1
shift
cd "$(dirname "$0")"
mkdir -p "$name"
common="-cc1 -triple x86_64-unknown-linux-gnu -aux-triple x86_64-unknown-linux-gnu -target-sdk-version=12.5 -x cuda
 -std=c++17 -O2 -disable-llvm-passes -emit-llvm -mrelocation-model pic -pic-level 2 -nostdsysteminc -nobuiltininc"
printf MUSA_SIM_FATBIN_PLACEHOLDER >"$name/placeholder"
forgiving="-no-enable-noundef-analysis -ftrivial-auto-var-init=pattern -ftrivial-auto-var-init-max-size=1024
 -fno-strict-float-cast-overflow"
"$@" $common $forgiving -fcuda-is-device -fno-rtti -D__MUSA_ARCH__=220 kernels.mu -o "$name/device.ll"
"$@" $common -fcuda-include-gpubinary "$name/placeholder" kernels.mu -o "$name/host.ll"
rm "$name/placeholder"
