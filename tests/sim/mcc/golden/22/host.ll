; ModuleID = 'kernels.mu'
source_filename = "kernels.mu"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

%struct.Pair = type { double, i64 }
%struct.dim3 = type { i32, i32, i32 }
%struct.Functor = type { i8 }
%struct.Floats = type { float, float, float }
%struct.Large = type { [5 x double] }
%struct.Owner = type { i32 }

$_Z19__device_stub__manyIfEvPT_7Functor4Pair6Floatsbc5Large5Ownersn = comdat any

$_ZN5OwnerC1Ev = comdat any

$_ZN5OwnerC2Ev = comdat any

@table = internal global [4 x float] undef, align 16
@counter = internal global i32 undef, align 4
@total = internal global %struct.Pair undef, section "__musa_sim_managed", align 8
@0 = private unnamed_addr constant [13 x i8] c"_Z6sharedPfi\00", align 1
@1 = private unnamed_addr constant [19 x i8] c"_Z7convertPKfPKbPh\00", align 1
@2 = private unnamed_addr constant [51 x i8] c"_Z4manyIfEvPT_7Functor4Pair6Floatsbc5Large5Ownersn\00", align 1
@3 = private unnamed_addr constant [6 x i8] c"table\00", align 1
@4 = private unnamed_addr constant [8 x i8] c"counter\00", align 1
@5 = private unnamed_addr constant [6 x i8] c"total\00", align 1
@6 = private constant [27 x i8] c"MUSA_SIM_FATBIN_PLACEHOLDER", section ".nv_fatbin", align 8
@__cuda_fatbin_wrapper = internal constant { i32, i32, ptr, ptr } { i32 1180844977, i32 1, ptr @6, ptr null }, section ".nvFatBinSegment", align 8
@__cuda_gpubin_handle = internal global ptr null, align 8
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @__cuda_module_ctor, ptr null }]
@.str = private unnamed_addr constant [23 x i8] c"musa_sim_launch_bounds\00", section "llvm.metadata"
@.str.1 = private unnamed_addr constant [11 x i8] c"kernels.mu\00", section "llvm.metadata"
@.args = private unnamed_addr constant { i32, i32 } { i32 64, i32 4 }, section "llvm.metadata"
@llvm.global.annotations = appending global [1 x { ptr, ptr, ptr, i32, ptr }] [{ ptr, ptr, ptr, i32, ptr } { ptr @_Z21__device_stub__sharedPfi, ptr @.str, ptr @.str.1, i32 53, ptr @.args }], section "llvm.metadata"

; Function Attrs: mustprogress norecurse nounwind
define dso_local void @_Z21__device_stub__sharedPfi(ptr noundef %data, i32 noundef %n) #0 {
entry:
  %data.addr = alloca ptr, align 8
  %n.addr = alloca i32, align 4
  %grid_dim = alloca %struct.dim3, align 8
  %block_dim = alloca %struct.dim3, align 8
  %shmem_size = alloca i64, align 8
  %stream = alloca ptr, align 8
  %grid_dim.coerce = alloca { i64, i32 }, align 8
  %block_dim.coerce = alloca { i64, i32 }, align 8
  store ptr %data, ptr %data.addr, align 8, !tbaa !8
  store i32 %n, ptr %n.addr, align 4, !tbaa !4
  %kernel_args = alloca ptr, i64 2, align 16
  %0 = getelementptr ptr, ptr %kernel_args, i32 0
  store ptr %data.addr, ptr %0, align 8
  %1 = getelementptr ptr, ptr %kernel_args, i32 1
  store ptr %n.addr, ptr %1, align 8
  %2 = call i32 @__cudaPopCallConfiguration(ptr %grid_dim, ptr %block_dim, ptr %shmem_size, ptr %stream)
  %3 = load i64, ptr %shmem_size, align 8
  %4 = load ptr, ptr %stream, align 8
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %grid_dim.coerce, ptr align 8 %grid_dim, i64 12, i1 false)
  %5 = getelementptr inbounds nuw { i64, i32 }, ptr %grid_dim.coerce, i32 0, i32 0
  %6 = load i64, ptr %5, align 8
  %7 = getelementptr inbounds nuw { i64, i32 }, ptr %grid_dim.coerce, i32 0, i32 1
  %8 = load i32, ptr %7, align 8
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %block_dim.coerce, ptr align 8 %block_dim, i64 12, i1 false)
  %9 = getelementptr inbounds nuw { i64, i32 }, ptr %block_dim.coerce, i32 0, i32 0
  %10 = load i64, ptr %9, align 8
  %11 = getelementptr inbounds nuw { i64, i32 }, ptr %block_dim.coerce, i32 0, i32 1
  %12 = load i32, ptr %11, align 8
  %call = call noundef i32 @cudaLaunchKernel(ptr noundef @_Z21__device_stub__sharedPfi, i64 %6, i32 %8, i64 %10, i32 %12, ptr noundef %kernel_args, i64 noundef %3, ptr noundef %4)
  br label %setup.end

setup.end:                                        ; preds = %entry
  ret void
}

declare i32 @__cudaPopCallConfiguration(ptr, ptr, ptr, ptr)

declare i32 @cudaLaunchKernel(ptr, i64, i32, i64, i32, ptr, i64, ptr)

; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: readwrite)
declare void @llvm.memcpy.p0.p0.i64(ptr noalias writeonly captures(none), ptr noalias readonly captures(none), i64, i1 immarg) #1

; Function Attrs: mustprogress norecurse nounwind
define dso_local void @_Z22__device_stub__convertPKfPKbPh(ptr noundef %in, ptr noundef %flags, ptr noundef %out) #0 {
entry:
  %in.addr = alloca ptr, align 8
  %flags.addr = alloca ptr, align 8
  %out.addr = alloca ptr, align 8
  %grid_dim = alloca %struct.dim3, align 8
  %block_dim = alloca %struct.dim3, align 8
  %shmem_size = alloca i64, align 8
  %stream = alloca ptr, align 8
  %grid_dim.coerce = alloca { i64, i32 }, align 8
  %block_dim.coerce = alloca { i64, i32 }, align 8
  store ptr %in, ptr %in.addr, align 8, !tbaa !8
  store ptr %flags, ptr %flags.addr, align 8, !tbaa !11
  store ptr %out, ptr %out.addr, align 8, !tbaa !13
  %kernel_args = alloca ptr, i64 3, align 16
  %0 = getelementptr ptr, ptr %kernel_args, i32 0
  store ptr %in.addr, ptr %0, align 8
  %1 = getelementptr ptr, ptr %kernel_args, i32 1
  store ptr %flags.addr, ptr %1, align 8
  %2 = getelementptr ptr, ptr %kernel_args, i32 2
  store ptr %out.addr, ptr %2, align 8
  %3 = call i32 @__cudaPopCallConfiguration(ptr %grid_dim, ptr %block_dim, ptr %shmem_size, ptr %stream)
  %4 = load i64, ptr %shmem_size, align 8
  %5 = load ptr, ptr %stream, align 8
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %grid_dim.coerce, ptr align 8 %grid_dim, i64 12, i1 false)
  %6 = getelementptr inbounds nuw { i64, i32 }, ptr %grid_dim.coerce, i32 0, i32 0
  %7 = load i64, ptr %6, align 8
  %8 = getelementptr inbounds nuw { i64, i32 }, ptr %grid_dim.coerce, i32 0, i32 1
  %9 = load i32, ptr %8, align 8
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %block_dim.coerce, ptr align 8 %block_dim, i64 12, i1 false)
  %10 = getelementptr inbounds nuw { i64, i32 }, ptr %block_dim.coerce, i32 0, i32 0
  %11 = load i64, ptr %10, align 8
  %12 = getelementptr inbounds nuw { i64, i32 }, ptr %block_dim.coerce, i32 0, i32 1
  %13 = load i32, ptr %12, align 8
  %call = call noundef i32 @cudaLaunchKernel(ptr noundef @_Z22__device_stub__convertPKfPKbPh, i64 %7, i32 %9, i64 %11, i32 %13, ptr noundef %kernel_args, i64 noundef %4, ptr noundef %5)
  br label %setup.end

setup.end:                                        ; preds = %entry
  ret void
}

; Function Attrs: mustprogress nounwind
define dso_local void @_Z6launchPf(ptr noundef %p) #2 {
entry:
  %p.addr = alloca ptr, align 8
  %agg.tmp = alloca %struct.dim3, align 4
  %agg.tmp1 = alloca %struct.dim3, align 4
  %agg.tmp.coerce = alloca { i64, i32 }, align 4
  %agg.tmp1.coerce = alloca { i64, i32 }, align 4
  %agg.tmp5 = alloca %struct.Functor, align 1
  %agg.tmp6 = alloca %struct.Pair, align 8
  %agg.tmp7 = alloca %struct.Floats, align 4
  %agg.tmp8 = alloca %struct.Large, align 8
  %agg.tmp9 = alloca %struct.Owner, align 4
  %agg.tmp7.coerce = alloca { <2 x float>, float }, align 4
  %agg.tmp10 = alloca %struct.dim3, align 4
  %agg.tmp14 = alloca %struct.dim3, align 4
  %agg.tmp10.coerce = alloca { i64, i32 }, align 4
  %agg.tmp14.coerce = alloca { i64, i32 }, align 4
  store ptr %p, ptr %p.addr, align 8, !tbaa !8
  store double 1.500000e+00, ptr @total, align 8, !tbaa !15
  %x = getelementptr inbounds nuw %struct.dim3, ptr %agg.tmp, i32 0, i32 0
  store i32 1, ptr %x, align 4, !tbaa !19
  %y = getelementptr inbounds nuw %struct.dim3, ptr %agg.tmp, i32 0, i32 1
  store i32 1, ptr %y, align 4, !tbaa !21
  %z = getelementptr inbounds nuw %struct.dim3, ptr %agg.tmp, i32 0, i32 2
  store i32 1, ptr %z, align 4, !tbaa !22
  %x2 = getelementptr inbounds nuw %struct.dim3, ptr %agg.tmp1, i32 0, i32 0
  store i32 1, ptr %x2, align 4, !tbaa !19
  %y3 = getelementptr inbounds nuw %struct.dim3, ptr %agg.tmp1, i32 0, i32 1
  store i32 1, ptr %y3, align 4, !tbaa !21
  %z4 = getelementptr inbounds nuw %struct.dim3, ptr %agg.tmp1, i32 0, i32 2
  store i32 1, ptr %z4, align 4, !tbaa !22
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %agg.tmp.coerce, ptr align 4 %agg.tmp, i64 12, i1 false)
  %0 = getelementptr inbounds nuw { i64, i32 }, ptr %agg.tmp.coerce, i32 0, i32 0
  %1 = load i64, ptr %0, align 4
  %2 = getelementptr inbounds nuw { i64, i32 }, ptr %agg.tmp.coerce, i32 0, i32 1
  %3 = load i32, ptr %2, align 4
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %agg.tmp1.coerce, ptr align 4 %agg.tmp1, i64 12, i1 false)
  %4 = getelementptr inbounds nuw { i64, i32 }, ptr %agg.tmp1.coerce, i32 0, i32 0
  %5 = load i64, ptr %4, align 4
  %6 = getelementptr inbounds nuw { i64, i32 }, ptr %agg.tmp1.coerce, i32 0, i32 1
  %7 = load i32, ptr %6, align 4
  %call = call i32 @__cudaPushCallConfiguration(i64 %1, i32 %3, i64 %5, i32 %7, i64 noundef 0, ptr noundef null)
  %tobool = icmp ne i32 %call, 0
  br i1 %tobool, label %kcall.end, label %kcall.configok

kcall.configok:                                   ; preds = %entry
  %8 = load ptr, ptr %p.addr, align 8, !tbaa !8
  call void @llvm.memset.p0.i64(ptr align 8 %agg.tmp6, i8 0, i64 16, i1 false)
  call void @llvm.memset.p0.i64(ptr align 4 %agg.tmp7, i8 0, i64 12, i1 false)
  call void @llvm.memset.p0.i64(ptr align 8 %agg.tmp8, i8 0, i64 40, i1 false)
  call void @_ZN5OwnerC1Ev(ptr noundef nonnull align 4 dereferenceable(4) %agg.tmp9)
  %9 = getelementptr inbounds nuw { double, i64 }, ptr %agg.tmp6, i32 0, i32 0
  %10 = load double, ptr %9, align 8
  %11 = getelementptr inbounds nuw { double, i64 }, ptr %agg.tmp6, i32 0, i32 1
  %12 = load i64, ptr %11, align 8
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %agg.tmp7.coerce, ptr align 4 %agg.tmp7, i64 12, i1 false)
  %13 = getelementptr inbounds nuw { <2 x float>, float }, ptr %agg.tmp7.coerce, i32 0, i32 0
  %14 = load <2 x float>, ptr %13, align 4
  %15 = getelementptr inbounds nuw { <2 x float>, float }, ptr %agg.tmp7.coerce, i32 0, i32 1
  %16 = load float, ptr %15, align 4
  call void @_Z19__device_stub__manyIfEvPT_7Functor4Pair6Floatsbc5Large5Ownersn(ptr noundef %8, double %10, i64 %12, <2 x float> %14, float %16, i1 noundef zeroext true, i8 noundef signext 120, ptr noundef byval(%struct.Large) align 8 %agg.tmp8, ptr dead_on_return noundef %agg.tmp9, i16 noundef signext 1, i128 noundef 2) #7
  br label %kcall.end

kcall.end:                                        ; preds = %kcall.configok, %entry
  %x11 = getelementptr inbounds nuw %struct.dim3, ptr %agg.tmp10, i32 0, i32 0
  store i32 1, ptr %x11, align 4, !tbaa !19
  %y12 = getelementptr inbounds nuw %struct.dim3, ptr %agg.tmp10, i32 0, i32 1
  store i32 1, ptr %y12, align 4, !tbaa !21
  %z13 = getelementptr inbounds nuw %struct.dim3, ptr %agg.tmp10, i32 0, i32 2
  store i32 1, ptr %z13, align 4, !tbaa !22
  %x15 = getelementptr inbounds nuw %struct.dim3, ptr %agg.tmp14, i32 0, i32 0
  store i32 64, ptr %x15, align 4, !tbaa !19
  %y16 = getelementptr inbounds nuw %struct.dim3, ptr %agg.tmp14, i32 0, i32 1
  store i32 1, ptr %y16, align 4, !tbaa !21
  %z17 = getelementptr inbounds nuw %struct.dim3, ptr %agg.tmp14, i32 0, i32 2
  store i32 1, ptr %z17, align 4, !tbaa !22
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %agg.tmp10.coerce, ptr align 4 %agg.tmp10, i64 12, i1 false)
  %17 = getelementptr inbounds nuw { i64, i32 }, ptr %agg.tmp10.coerce, i32 0, i32 0
  %18 = load i64, ptr %17, align 4
  %19 = getelementptr inbounds nuw { i64, i32 }, ptr %agg.tmp10.coerce, i32 0, i32 1
  %20 = load i32, ptr %19, align 4
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %agg.tmp14.coerce, ptr align 4 %agg.tmp14, i64 12, i1 false)
  %21 = getelementptr inbounds nuw { i64, i32 }, ptr %agg.tmp14.coerce, i32 0, i32 0
  %22 = load i64, ptr %21, align 4
  %23 = getelementptr inbounds nuw { i64, i32 }, ptr %agg.tmp14.coerce, i32 0, i32 1
  %24 = load i32, ptr %23, align 4
  %call18 = call i32 @__cudaPushCallConfiguration(i64 %18, i32 %20, i64 %22, i32 %24, i64 noundef 16, ptr noundef null)
  %tobool19 = icmp ne i32 %call18, 0
  br i1 %tobool19, label %kcall.end21, label %kcall.configok20

kcall.configok20:                                 ; preds = %kcall.end
  %25 = load ptr, ptr %p.addr, align 8, !tbaa !8
  call void @_Z21__device_stub__sharedPfi(ptr noundef %25, i32 noundef 64) #7
  br label %kcall.end21

kcall.end21:                                      ; preds = %kcall.configok20, %kcall.end
  ret void
}

declare i32 @__cudaPushCallConfiguration(i64, i32, i64, i32, i64 noundef, ptr noundef) #3

; Function Attrs: mustprogress norecurse nounwind
define linkonce_odr void @_Z19__device_stub__manyIfEvPT_7Functor4Pair6Floatsbc5Large5Ownersn(ptr noundef %out, double %pair.coerce0, i64 %pair.coerce1, <2 x float> %floats.coerce0, float %floats.coerce1, i1 noundef zeroext %flag, i8 noundef signext %letter, ptr noundef byval(%struct.Large) align 8 %large, ptr dead_on_return noundef %owner, i16 noundef signext %small, i128 noundef %wide) #4 comdat {
entry:
  %0 = alloca %struct.Functor, align 1
  %pair = alloca %struct.Pair, align 8
  %floats = alloca %struct.Floats, align 4
  %coerce = alloca { <2 x float>, float }, align 4
  %out.addr = alloca ptr, align 8
  %flag.addr = alloca i8, align 1
  %letter.addr = alloca i8, align 1
  %owner.indirect_addr = alloca ptr, align 8
  %small.addr = alloca i16, align 2
  %wide.addr = alloca i128, align 16
  %grid_dim = alloca %struct.dim3, align 8
  %block_dim = alloca %struct.dim3, align 8
  %shmem_size = alloca i64, align 8
  %stream = alloca ptr, align 8
  %grid_dim.coerce = alloca { i64, i32 }, align 8
  %block_dim.coerce = alloca { i64, i32 }, align 8
  %1 = getelementptr inbounds nuw { double, i64 }, ptr %pair, i32 0, i32 0
  store double %pair.coerce0, ptr %1, align 8
  %2 = getelementptr inbounds nuw { double, i64 }, ptr %pair, i32 0, i32 1
  store i64 %pair.coerce1, ptr %2, align 8
  %3 = getelementptr inbounds nuw { <2 x float>, float }, ptr %coerce, i32 0, i32 0
  store <2 x float> %floats.coerce0, ptr %3, align 4
  %4 = getelementptr inbounds nuw { <2 x float>, float }, ptr %coerce, i32 0, i32 1
  store float %floats.coerce1, ptr %4, align 4
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %floats, ptr align 4 %coerce, i64 12, i1 false)
  store ptr %out, ptr %out.addr, align 8, !tbaa !8
  %storedv = zext i1 %flag to i8
  store i8 %storedv, ptr %flag.addr, align 1, !tbaa !23
  store i8 %letter, ptr %letter.addr, align 1, !tbaa !25
  store ptr %owner, ptr %owner.indirect_addr, align 8, !tbaa !26
  store i16 %small, ptr %small.addr, align 2, !tbaa !28
  store i128 %wide, ptr %wide.addr, align 16, !tbaa !30
  %kernel_args = alloca ptr, i64 10, align 16
  %5 = getelementptr ptr, ptr %kernel_args, i32 0
  store ptr %out.addr, ptr %5, align 8
  %6 = getelementptr ptr, ptr %kernel_args, i32 1
  store ptr %0, ptr %6, align 8
  %7 = getelementptr ptr, ptr %kernel_args, i32 2
  store ptr %pair, ptr %7, align 8
  %8 = getelementptr ptr, ptr %kernel_args, i32 3
  store ptr %floats, ptr %8, align 8
  %9 = getelementptr ptr, ptr %kernel_args, i32 4
  store ptr %flag.addr, ptr %9, align 8
  %10 = getelementptr ptr, ptr %kernel_args, i32 5
  store ptr %letter.addr, ptr %10, align 8
  %11 = getelementptr ptr, ptr %kernel_args, i32 6
  store ptr %large, ptr %11, align 8
  %12 = getelementptr ptr, ptr %kernel_args, i32 7
  store ptr %owner, ptr %12, align 8
  %13 = getelementptr ptr, ptr %kernel_args, i32 8
  store ptr %small.addr, ptr %13, align 8
  %14 = getelementptr ptr, ptr %kernel_args, i32 9
  store ptr %wide.addr, ptr %14, align 8
  %15 = call i32 @__cudaPopCallConfiguration(ptr %grid_dim, ptr %block_dim, ptr %shmem_size, ptr %stream)
  %16 = load i64, ptr %shmem_size, align 8
  %17 = load ptr, ptr %stream, align 8
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %grid_dim.coerce, ptr align 8 %grid_dim, i64 12, i1 false)
  %18 = getelementptr inbounds nuw { i64, i32 }, ptr %grid_dim.coerce, i32 0, i32 0
  %19 = load i64, ptr %18, align 8
  %20 = getelementptr inbounds nuw { i64, i32 }, ptr %grid_dim.coerce, i32 0, i32 1
  %21 = load i32, ptr %20, align 8
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %block_dim.coerce, ptr align 8 %block_dim, i64 12, i1 false)
  %22 = getelementptr inbounds nuw { i64, i32 }, ptr %block_dim.coerce, i32 0, i32 0
  %23 = load i64, ptr %22, align 8
  %24 = getelementptr inbounds nuw { i64, i32 }, ptr %block_dim.coerce, i32 0, i32 1
  %25 = load i32, ptr %24, align 8
  %call = call noundef i32 @cudaLaunchKernel(ptr noundef @_Z19__device_stub__manyIfEvPT_7Functor4Pair6Floatsbc5Large5Ownersn, i64 %19, i32 %21, i64 %23, i32 %25, ptr noundef %kernel_args, i64 noundef %16, ptr noundef %17)
  br label %setup.end

setup.end:                                        ; preds = %entry
  ret void
}

; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: write)
declare void @llvm.memset.p0.i64(ptr writeonly captures(none), i8, i64, i1 immarg) #5

; Function Attrs: mustprogress nounwind
define linkonce_odr void @_ZN5OwnerC1Ev(ptr noundef nonnull align 4 dereferenceable(4) %this) unnamed_addr #6 comdat align 2 {
entry:
  %this.addr = alloca ptr, align 8
  store ptr %this, ptr %this.addr, align 8, !tbaa !26
  %this1 = load ptr, ptr %this.addr, align 8
  call void @_ZN5OwnerC2Ev(ptr noundef nonnull align 4 dereferenceable(4) %this1)
  ret void
}

; Function Attrs: mustprogress nounwind
define linkonce_odr void @_ZN5OwnerC2Ev(ptr noundef nonnull align 4 dereferenceable(4) %this) unnamed_addr #6 comdat align 2 {
entry:
  %this.addr = alloca ptr, align 8
  store ptr %this, ptr %this.addr, align 8, !tbaa !26
  %this1 = load ptr, ptr %this.addr, align 8
  %value = getelementptr inbounds nuw %struct.Owner, ptr %this1, i32 0, i32 0
  store i32 0, ptr %value, align 4, !tbaa !32
  ret void
}

define internal void @__cuda_register_globals(ptr %0) {
entry:
  %1 = call i32 @__cudaRegisterFunction(ptr %0, ptr @_Z21__device_stub__sharedPfi, ptr @0, ptr @0, i32 -1, ptr null, ptr null, ptr null, ptr null, ptr null)
  %2 = call i32 @__cudaRegisterFunction(ptr %0, ptr @_Z22__device_stub__convertPKfPKbPh, ptr @1, ptr @1, i32 -1, ptr null, ptr null, ptr null, ptr null, ptr null)
  %3 = call i32 @__cudaRegisterFunction(ptr %0, ptr @_Z19__device_stub__manyIfEvPT_7Functor4Pair6Floatsbc5Large5Ownersn, ptr @2, ptr @2, i32 -1, ptr null, ptr null, ptr null, ptr null, ptr null)
  call void @__cudaRegisterVar(ptr %0, ptr @table, ptr @3, ptr @3, i32 0, i64 16, i32 1, i32 0)
  call void @__cudaRegisterVar(ptr %0, ptr @counter, ptr @4, ptr @4, i32 0, i64 4, i32 0, i32 0)
  call void @__cudaRegisterVar(ptr %0, ptr @total, ptr @5, ptr @5, i32 0, i64 16, i32 0, i32 0)
  ret void
}

declare i32 @__cudaRegisterFunction(ptr, ptr, ptr, ptr, i32, ptr, ptr, ptr, ptr, ptr)

declare void @__cudaRegisterVar(ptr, ptr, ptr, ptr, i32, i64, i32, i32)

declare void @__cudaRegisterManagedVar(ptr, ptr, ptr, ptr, i64, i32)

declare void @__cudaRegisterSurface(ptr, ptr, ptr, ptr, i32, i32)

declare void @__cudaRegisterTexture(ptr, ptr, ptr, ptr, i32, i32, i32)

declare ptr @__cudaRegisterFatBinary(ptr)

define internal void @__cuda_module_ctor() {
entry:
  %0 = call ptr @__cudaRegisterFatBinary(ptr @__cuda_fatbin_wrapper)
  store ptr %0, ptr @__cuda_gpubin_handle, align 8
  call void @__cuda_register_globals(ptr %0)
  call void @__cudaRegisterFatBinaryEnd(ptr %0)
  %1 = call i32 @atexit(ptr @__cuda_module_dtor)
  ret void
}

declare void @__cudaRegisterFatBinaryEnd(ptr)

declare void @__cudaUnregisterFatBinary(ptr)

define internal void @__cuda_module_dtor() {
entry:
  %0 = load ptr, ptr @__cuda_gpubin_handle, align 8
  call void @__cudaUnregisterFatBinary(ptr %0)
  ret void
}

declare i32 @atexit(ptr)

attributes #0 = { mustprogress norecurse nounwind "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-features"="+cx8,+mmx,+sse,+sse2,+x87" "uniform-work-group-size"="true" }
attributes #1 = { nocallback nofree nounwind willreturn memory(argmem: readwrite) }
attributes #2 = { mustprogress nounwind "min-legal-vector-width"="64" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-features"="+cx8,+mmx,+sse,+sse2,+x87" }
attributes #3 = { "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-features"="+cx8,+mmx,+sse,+sse2,+x87" }
attributes #4 = { mustprogress norecurse nounwind "min-legal-vector-width"="64" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-features"="+cx8,+mmx,+sse,+sse2,+x87" "uniform-work-group-size"="true" }
attributes #5 = { nocallback nofree nounwind willreturn memory(argmem: write) }
attributes #6 = { mustprogress nounwind "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-features"="+cx8,+mmx,+sse,+sse2,+x87" }
attributes #7 = { "uniform-work-group-size"="true" }

!llvm.module.flags = !{!0, !1, !2}
!llvm.ident = !{!3}
!llvm.errno.tbaa = !{!4}

!0 = !{i32 2, !"SDK Version", [2 x i32] [i32 12, i32 5]}
!1 = !{i32 1, !"wchar_size", i32 4}
!2 = !{i32 8, !"PIC Level", i32 2}
!3 = !{!"clang version 22.1.8"}
!4 = !{!5, !5, i64 0}
!5 = !{!"int", !6, i64 0}
!6 = !{!"omnipotent char", !7, i64 0}
!7 = !{!"Simple C++ TBAA"}
!8 = !{!9, !9, i64 0}
!9 = !{!"p1 float", !10, i64 0}
!10 = !{!"any pointer", !6, i64 0}
!11 = !{!12, !12, i64 0}
!12 = !{!"p1 bool", !10, i64 0}
!13 = !{!14, !14, i64 0}
!14 = !{!"p1 omnipotent char", !10, i64 0}
!15 = !{!16, !17, i64 0}
!16 = !{!"_ZTS4Pair", !17, i64 0, !18, i64 8}
!17 = !{!"double", !6, i64 0}
!18 = !{!"long", !6, i64 0}
!19 = !{!20, !5, i64 0}
!20 = !{!"_ZTS4dim3", !5, i64 0, !5, i64 4, !5, i64 8}
!21 = !{!20, !5, i64 4}
!22 = !{!20, !5, i64 8}
!23 = !{!24, !24, i64 0}
!24 = !{!"bool", !6, i64 0}
!25 = !{!6, !6, i64 0}
!26 = !{!27, !27, i64 0}
!27 = !{!"p1 _ZTS5Owner", !10, i64 0}
!28 = !{!29, !29, i64 0}
!29 = !{!"short", !6, i64 0}
!30 = !{!31, !31, i64 0}
!31 = !{!"__int128", !6, i64 0}
!32 = !{!33, !5, i64 0}
!33 = !{!"_ZTS5Owner", !5, i64 0}
