; ModuleID = 'kernels.mu'
source_filename = "kernels.mu"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

%struct.Pair = type { double, i64 }
%struct.Large = type { [5 x double] }
%struct.Functor = type { i8 }
%struct.Floats = type { float, float, float }
%struct.Owner = type { i32 }

$_ZTW7dynamic = comdat any

$_Z4manyIfEvPT_7Functor4Pair6Floatsbc5Large5Ownersn = comdat any

@table = externally_initialized constant [4 x float] zeroinitializer, align 16
@counter = externally_initialized global i32 3, align 4
@total = externally_initialized global %struct.Pair { double 5.000000e-01, i64 7 }, section "__musa_sim_managed", align 8
@_ZZ6sharedPfiE4tile = internal thread_local global [64 x float] undef, align 16
@dynamic = external thread_local global [0 x float], align 4
@_ZL6second = internal global ptr getelementptr (i8, ptr @total, i64 8), section "__musa_sim_managed", align 8
@.str = private unnamed_addr constant [23 x i8] c"musa_sim_launch_bounds\00", section "llvm.metadata"
@.str.1 = private unnamed_addr constant [11 x i8] c"kernels.mu\00", section "llvm.metadata"
@.args = private unnamed_addr constant { i32, i32 } { i32 64, i32 4 }, section "llvm.metadata"
@llvm.global.annotations = appending global [1 x { ptr, ptr, ptr, i32, ptr }] [{ ptr, ptr, ptr, i32, ptr } { ptr @_Z6sharedPfi, ptr @.str, ptr @.str.1, i32 53, ptr @.args }], section "llvm.metadata"
@llvm.compiler.used = appending global [3 x ptr] [ptr @table, ptr @counter, ptr @total], section "llvm.metadata"

; Function Attrs: convergent mustprogress norecurse nounwind
define dso_local void @_Z6sharedPfi(ptr %data, i32 %n) #0 {
entry:
  %data.addr = alloca ptr, align 8
  %n.addr = alloca i32, align 4
  %i = alloca i32, align 4
  store ptr %data, ptr %data.addr, align 8, !tbaa !8
  store i32 %n, ptr %n.addr, align 4, !tbaa !4
  call void @llvm.lifetime.start.p0(ptr %i) #8
  %call = call i32 @__musa_sim_block_idx_x() #9
  %call1 = call i32 @__musa_sim_block_dim_x() #9
  %mul = mul i32 %call, %call1
  %call2 = call i32 @__musa_sim_thread_idx_x() #9
  %add = add i32 %mul, %call2
  store i32 %add, ptr %i, align 4, !tbaa !4
  %0 = load i32, ptr %i, align 4, !tbaa !4
  %1 = load i32, ptr %n.addr, align 4, !tbaa !4
  %cmp = icmp ult i32 %0, %1
  br i1 %cmp, label %cond.true, label %cond.false

cond.true:                                        ; preds = %entry
  %2 = load ptr, ptr %data.addr, align 8, !tbaa !8
  %3 = load i32, ptr %i, align 4, !tbaa !4
  %idxprom = zext i32 %3 to i64
  %arrayidx = getelementptr inbounds nuw float, ptr %2, i64 %idxprom
  %4 = load float, ptr %arrayidx, align 4, !tbaa !11
  br label %cond.end

cond.false:                                       ; preds = %entry
  %5 = call ptr @_ZTW7dynamic()
  %arrayidx3 = getelementptr inbounds [0 x float], ptr %5, i64 0, i64 0
  %6 = load float, ptr %arrayidx3, align 4, !tbaa !11
  br label %cond.end

cond.end:                                         ; preds = %cond.false, %cond.true
  %cond = phi contract float [ %4, %cond.true ], [ %6, %cond.false ]
  %7 = call align 16 ptr @llvm.threadlocal.address.p0(ptr align 16 @_ZZ6sharedPfiE4tile)
  %call4 = call i32 @__musa_sim_thread_idx_x() #9
  %idxprom5 = zext i32 %call4 to i64
  %arrayidx6 = getelementptr inbounds nuw [64 x float], ptr %7, i64 0, i64 %idxprom5
  store float %cond, ptr %arrayidx6, align 4, !tbaa !11
  call void @__musa_sim_sync_threads() #10
  %8 = load ptr, ptr @_ZL6second, align 8, !tbaa !13
  %9 = load i64, ptr %8, align 8, !tbaa !15
  %add7 = add nsw i64 %9, 1
  store i64 %add7, ptr %8, align 8, !tbaa !15
  %10 = load i32, ptr %i, align 4, !tbaa !4
  %11 = load i32, ptr %n.addr, align 4, !tbaa !4
  %cmp8 = icmp ult i32 %10, %11
  br i1 %cmp8, label %if.then, label %if.end

if.then:                                          ; preds = %cond.end
  %12 = call align 16 ptr @llvm.threadlocal.address.p0(ptr align 16 @_ZZ6sharedPfiE4tile)
  %call9 = call i32 @__musa_sim_thread_idx_x() #9
  %sub = sub i32 63, %call9
  %idxprom10 = zext i32 %sub to i64
  %arrayidx11 = getelementptr inbounds nuw [64 x float], ptr %12, i64 0, i64 %idxprom10
  %13 = load float, ptr %arrayidx11, align 4, !tbaa !11
  %14 = load ptr, ptr %data.addr, align 8, !tbaa !8
  %15 = load i32, ptr %i, align 4, !tbaa !4
  %idxprom12 = zext i32 %15 to i64
  %arrayidx13 = getelementptr inbounds nuw float, ptr %14, i64 %idxprom12
  store float %13, ptr %arrayidx13, align 4, !tbaa !11
  br label %if.end

if.end:                                           ; preds = %if.then, %cond.end
  call void @llvm.lifetime.end.p0(ptr %i) #8
  ret void
}

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.start.p0(ptr captures(none)) #1

; Function Attrs: convergent nounwind willreturn memory(none)
declare i32 @__musa_sim_block_idx_x() #2

; Function Attrs: convergent nounwind willreturn memory(none)
declare i32 @__musa_sim_block_dim_x() #2

; Function Attrs: convergent nounwind willreturn memory(none)
declare i32 @__musa_sim_thread_idx_x() #2

; Function Attrs: convergent nounwind
define linkonce_odr hidden ptr @_ZTW7dynamic() #3 comdat {
  %1 = icmp ne ptr @_ZTH7dynamic, null
  br i1 %1, label %2, label %3

2:                                                ; preds = %0
  call void @_ZTH7dynamic()
  br label %3

3:                                                ; preds = %2, %0
  %4 = call align 4 ptr @llvm.threadlocal.address.p0(ptr align 4 @dynamic)
  ret ptr %4
}

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare nonnull ptr @llvm.threadlocal.address.p0(ptr nonnull) #4

; Function Attrs: convergent nounwind
declare void @__musa_sim_sync_threads() #3

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.end.p0(ptr captures(none)) #1

; Function Attrs: convergent mustprogress norecurse nounwind
define dso_local void @_Z7convertPKfPKbPh(ptr %in, ptr %flags, ptr %out) #0 {
entry:
  %in.addr = alloca ptr, align 8
  %flags.addr = alloca ptr, align 8
  %out.addr = alloca ptr, align 8
  %unset = alloca i32, align 4
  store ptr %in, ptr %in.addr, align 8, !tbaa !8
  store ptr %flags, ptr %flags.addr, align 8, !tbaa !17
  store ptr %out, ptr %out.addr, align 8, !tbaa !19
  call void @llvm.lifetime.start.p0(ptr %unset) #8
  store i32 -1431655766, ptr %unset, align 4, !annotation !21
  %0 = load ptr, ptr %in.addr, align 8, !tbaa !8
  %arrayidx = getelementptr inbounds float, ptr %0, i64 0
  %1 = load float, ptr %arrayidx, align 4, !tbaa !11
  %2 = call i8 @llvm.fptoui.sat.i8.f32(float %1)
  %3 = load ptr, ptr %out.addr, align 8, !tbaa !19
  %arrayidx1 = getelementptr inbounds i8, ptr %3, i64 0
  store i8 %2, ptr %arrayidx1, align 1, !tbaa !22
  %4 = load ptr, ptr %in.addr, align 8, !tbaa !8
  %arrayidx2 = getelementptr inbounds float, ptr %4, i64 1
  %5 = load float, ptr %arrayidx2, align 4, !tbaa !11
  %6 = call i64 @llvm.fptosi.sat.i64.f32(float %5)
  %shr = ashr i64 %6, 3
  %conv = trunc i64 %shr to i8
  %7 = load ptr, ptr %out.addr, align 8, !tbaa !19
  %arrayidx3 = getelementptr inbounds i8, ptr %7, i64 1
  store i8 %conv, ptr %arrayidx3, align 1, !tbaa !22
  %8 = load ptr, ptr %flags.addr, align 8, !tbaa !17
  %arrayidx4 = getelementptr inbounds i8, ptr %8, i64 0
  %9 = load i8, ptr %arrayidx4, align 1, !tbaa !23, !range !25, !noundef !26
  %loadedv = trunc i8 %9 to i1
  br i1 %loadedv, label %if.then, label %if.end

if.then:                                          ; preds = %entry
  %10 = load i32, ptr %unset, align 4, !tbaa !4
  %conv5 = trunc i32 %10 to i8
  %11 = load ptr, ptr %out.addr, align 8, !tbaa !19
  %arrayidx6 = getelementptr inbounds i8, ptr %11, i64 2
  store i8 %conv5, ptr %arrayidx6, align 1, !tbaa !22
  br label %if.end

if.end:                                           ; preds = %if.then, %entry
  call void @llvm.lifetime.end.p0(ptr %unset) #8
  ret void
}

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i8 @llvm.fptoui.sat.i8.f32(float) #5

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i64 @llvm.fptosi.sat.i64.f32(float) #5

; Function Attrs: convergent mustprogress norecurse nounwind
define void @_Z4manyIfEvPT_7Functor4Pair6Floatsbc5Large5Ownersn(ptr %out, double %pair.coerce0, i64 %pair.coerce1, <2 x float> %floats.coerce0, float %floats.coerce1, i1 zeroext %flag, i8 signext %letter, ptr byval(%struct.Large) align 8 %large, ptr dead_on_return %owner, i16 signext %small, i128 %wide) #6 comdat {
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
  store i8 %letter, ptr %letter.addr, align 1, !tbaa !22
  store ptr %owner, ptr %owner.indirect_addr, align 8, !tbaa !27
  store i16 %small, ptr %small.addr, align 2, !tbaa !29
  store i128 %wide, ptr %wide.addr, align 16, !tbaa !31
  %first = getelementptr inbounds nuw %struct.Pair, ptr %pair, i32 0, i32 0
  %5 = load double, ptr %first, align 8, !tbaa !33
  %second = getelementptr inbounds nuw %struct.Pair, ptr %pair, i32 0, i32 1
  %6 = load i64, ptr %second, align 8, !tbaa !36
  %conv = sitofp i64 %6 to double
  %add = fadd contract double %5, %conv
  %x = getelementptr inbounds nuw %struct.Floats, ptr %floats, i32 0, i32 0
  %7 = load float, ptr %x, align 4, !tbaa !37
  %conv1 = fpext contract float %7 to double
  %add2 = fadd contract double %add, %conv1
  %z = getelementptr inbounds nuw %struct.Floats, ptr %floats, i32 0, i32 2
  %8 = load float, ptr %z, align 4, !tbaa !39
  %conv3 = fpext contract float %8 to double
  %add4 = fadd contract double %add2, %conv3
  %9 = load i8, ptr %flag.addr, align 1, !tbaa !23, !range !25, !noundef !26
  %loadedv = trunc i8 %9 to i1
  %conv5 = zext i1 %loadedv to i32
  %conv6 = sitofp i32 %conv5 to double
  %add7 = fadd contract double %add4, %conv6
  %10 = load i8, ptr %letter.addr, align 1, !tbaa !22
  %conv8 = sext i8 %10 to i32
  %conv9 = sitofp i32 %conv8 to double
  %add10 = fadd contract double %add7, %conv9
  %values = getelementptr inbounds nuw %struct.Large, ptr %large, i32 0, i32 0
  %arrayidx = getelementptr inbounds [5 x double], ptr %values, i64 0, i64 2
  %11 = load double, ptr %arrayidx, align 8, !tbaa !40
  %add11 = fadd contract double %add10, %11
  %value = getelementptr inbounds nuw %struct.Owner, ptr %owner, i32 0, i32 0
  %12 = load i32, ptr %value, align 4, !tbaa !41
  %conv12 = sitofp i32 %12 to double
  %add13 = fadd contract double %add11, %conv12
  %13 = load i16, ptr %small.addr, align 2, !tbaa !29
  %conv14 = sext i16 %13 to i32
  %conv15 = sitofp i32 %conv14 to double
  %add16 = fadd contract double %add13, %conv15
  %14 = load i128, ptr %wide.addr, align 16, !tbaa !31
  %conv17 = sitofp i128 %14 to float
  %conv18 = fpext contract float %conv17 to double
  %add19 = fadd contract double %add16, %conv18
  %15 = load float, ptr getelementptr inbounds ([4 x float], ptr @table, i64 0, i64 1), align 4, !tbaa !11
  %conv20 = fpext contract float %15 to double
  %add21 = fadd contract double %add19, %conv20
  %16 = load i32, ptr @counter, align 4, !tbaa !4
  %conv22 = sitofp i32 %16 to double
  %add23 = fadd contract double %add21, %conv22
  %conv24 = fptrunc contract double %add23 to float
  %17 = load ptr, ptr %out.addr, align 8, !tbaa !8
  %arrayidx25 = getelementptr inbounds float, ptr %17, i64 0
  store float %conv24, ptr %arrayidx25, align 4, !tbaa !11
  ret void
}

; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: readwrite)
declare void @llvm.memcpy.p0.p0.i64(ptr noalias writeonly captures(none), ptr noalias readonly captures(none), i64, i1 immarg) #7

; Function Attrs: convergent nounwind
declare extern_weak void @_ZTH7dynamic() #3

attributes #0 = { convergent mustprogress norecurse nounwind "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-features"="+cx8,+mmx,+sse,+sse2,+x87" "uniform-work-group-size"="true" }
attributes #1 = { nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
attributes #2 = { convergent nounwind willreturn memory(none) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-features"="+cx8,+mmx,+sse,+sse2,+x87" }
attributes #3 = { convergent nounwind "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-features"="+cx8,+mmx,+sse,+sse2,+x87" }
attributes #4 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #5 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #6 = { convergent mustprogress norecurse nounwind "min-legal-vector-width"="64" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-features"="+cx8,+mmx,+sse,+sse2,+x87" "uniform-work-group-size"="true" }
attributes #7 = { nocallback nofree nounwind willreturn memory(argmem: readwrite) }
attributes #8 = { nounwind }
attributes #9 = { convergent nounwind willreturn memory(none) }
attributes #10 = { convergent nounwind }

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
!12 = !{!"float", !6, i64 0}
!13 = !{!14, !14, i64 0}
!14 = !{!"p1 long", !10, i64 0}
!15 = !{!16, !16, i64 0}
!16 = !{!"long", !6, i64 0}
!17 = !{!18, !18, i64 0}
!18 = !{!"p1 bool", !10, i64 0}
!19 = !{!20, !20, i64 0}
!20 = !{!"p1 omnipotent char", !10, i64 0}
!21 = !{!"auto-init"}
!22 = !{!6, !6, i64 0}
!23 = !{!24, !24, i64 0}
!24 = !{!"bool", !6, i64 0}
!25 = !{i8 0, i8 2}
!26 = !{}
!27 = !{!28, !28, i64 0}
!28 = !{!"p1 _ZTS5Owner", !10, i64 0}
!29 = !{!30, !30, i64 0}
!30 = !{!"short", !6, i64 0}
!31 = !{!32, !32, i64 0}
!32 = !{!"__int128", !6, i64 0}
!33 = !{!34, !35, i64 0}
!34 = !{!"_ZTS4Pair", !35, i64 0, !16, i64 8}
!35 = !{!"double", !6, i64 0}
!36 = !{!34, !16, i64 8}
!37 = !{!38, !12, i64 0}
!38 = !{!"_ZTS6Floats", !12, i64 0, !12, i64 4, !12, i64 8}
!39 = !{!38, !12, i64 8}
!40 = !{!35, !35, i64 0}
!41 = !{!42, !5, i64 0}
!42 = !{!"_ZTS5Owner", !5, i64 0}
