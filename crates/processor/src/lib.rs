//! The check of the processor, before `main`: everything else is compiled for x86-64-v3
//! (`.cargo/config.toml`), and would end with an illegal instruction on an older processor.
//!
//! The check itself must use no newer instruction, so it is written in assembly. It runs as an
//! initialiser of the program (`.init_array`), before any code that the compiler made for x86-64-v3.
//! A build for all processors (without the lines in `.cargo/config.toml`) has no check.

#![cfg_attr(not(test), warn(clippy::too_many_lines))]

#[cfg(all(
    target_arch = "x86_64",
    target_os = "linux",
    any(target_env = "musl", test)
))]
mod copy;

/// Whether this processor has what the program was compiled for. A program that calls it contains
/// the check, which has come to the same result before `main`.
pub fn is_sufficient() -> bool {
    #[cfg(all(target_arch = "x86_64", target_os = "linux", target_env = "musl"))]
    std::hint::black_box(copy::leitai_processor_copy as *const ());
    #[cfg(all(target_arch = "x86_64", target_os = "linux", target_feature = "avx2"))]
    return check::has_features(&check::NEEDS);
    #[cfg(not(all(target_arch = "x86_64", target_os = "linux", target_feature = "avx2")))]
    true
}

/// Says that this processor does not suffice, and ends the process with status 1: what the check
/// does, for a test of it.
#[cfg(all(target_arch = "x86_64", target_os = "linux", target_feature = "avx2"))]
pub fn refuse_processor() -> ! {
    check::leitai_processor_refuse()
}

#[cfg(all(target_arch = "x86_64", target_os = "linux", target_feature = "avx2"))]
mod check {
    /// Features by their bits: ECX of CPUID's leaf 1 (SSE3, SSSE3, FMA, CMPXCHG16B, SSE4.1, SSE4.2,
    /// MOVBE, POPCNT, OSXSAVE, AVX, F16C), EBX of leaf 7 (BMI1, AVX2, BMI2), ECX of leaf 8000_0001h
    /// (LAHF, LZCNT).
    pub type FeatureBits = [u32; 3];

    /// x86-64-v3.
    pub static NEEDS: FeatureBits = [0x38d8_3201, 0x0000_0128, 0x0000_0021];

    const TEXT: &[u8] =
        "leitai: this processor lacks instructions that this program needs (x86-64-v3: AVX2, BMI2, FMA; Intel since \
         2013, AMD since 2015); on an older one build it from its source without the target-cpu lines in \
         .cargo/config.toml\n\
         leitai：此处理器缺少本程序所需的指令（x86-64-v3：AVX2、BMI2、FMA；Intel 自 2013 年、AMD 自 2015 年）；在较旧的\
         机器上请去掉 .cargo/config.toml 中的 target-cpu 后从源代码编译\n"
            .as_bytes();

    static WORDS: [u8; TEXT.len()] = {
        let mut words = [0; TEXT.len()];
        words.copy_from_slice(TEXT);
        words
    };

    /// Whether the processor has all of these features.
    pub fn has_features(needs: &FeatureBits) -> bool {
        leitai_processor_lacks(needs) == 0
    }

    unsafe extern "C" {
        safe fn leitai_processor_lacks(needs: &FeatureBits) -> u32;
        pub safe fn leitai_processor_refuse() -> !;
    }

    std::arch::global_asm!(
        ".pushsection .text.leitai_processor,\"ax\",@progbits",
        // RDI: three words of features. EAX: 1 if one is missing.
        ".globl leitai_processor_lacks",
        "leitai_processor_lacks:",
        "push rbx",
        "xor eax, eax",
        "cpuid",
        "cmp eax, 7",
        "jb 22f",
        "mov eax, 1",
        "xor ecx, ecx",
        "cpuid",
        "and ecx, dword ptr [rdi]",
        "cmp ecx, dword ptr [rdi]",
        "jne 22f",
        // The system saves AVX's registers. OSXSAVE, which allows the question, is among the features.
        "xor ecx, ecx",
        "xgetbv",
        "and eax, 6",
        "cmp eax, 6",
        "jne 22f",
        "mov eax, 7",
        "xor ecx, ecx",
        "cpuid",
        "and ebx, dword ptr [rdi + 4]",
        "cmp ebx, dword ptr [rdi + 4]",
        "jne 22f",
        "mov eax, 0x80000001",
        "xor ecx, ecx",
        "cpuid",
        "and ecx, dword ptr [rdi + 8]",
        "cmp ecx, dword ptr [rdi + 8]",
        "jne 22f",
        "xor eax, eax",
        "pop rbx",
        "ret",
        "22:",
        "mov eax, 1",
        "pop rbx",
        "ret",
        // write(2, WORDS), exit_group(1).
        ".globl leitai_processor_refuse",
        "leitai_processor_refuse:",
        "mov eax, 1",
        "mov edi, 2",
        "lea rsi, [rip + {words}]",
        "mov edx, {length}",
        "syscall",
        "mov eax, 231",
        "mov edi, 1",
        "syscall",
        "ud2",
        "leitai_processor_check:",
        "lea rdi, [rip + {needs}]",
        "call leitai_processor_lacks",
        "test eax, eax",
        "jne leitai_processor_refuse",
        "ret",
        ".popsection",
        ".pushsection .init_array,\"aw\",@init_array",
        ".p2align 3",
        ".quad leitai_processor_check",
        ".popsection",
        words = sym WORDS,
        length = const TEXT.len(),
        needs = sym NEEDS,
    );

    #[cfg(test)]
    mod tests {
        use super::*;

        /// Every needed bit is asked for: with a bit that no processor has, each word refuses.
        #[test]
        fn a_missing_feature_is_found_in_every_word() {
            assert!(has_features(&NEEDS), "these tests would not run");
            // Reserved, or of processors that do not exist: leaf 1 ECX bit 16, leaf 7 EBX bit 22 is
            // not set on 64-bit machines together with bit 6, leaf 8000_0001h ECX bit 31.
            for (word, bit) in [(0, 16), (2, 31)] {
                let mut needs = NEEDS;
                needs[word] |= 1 << bit;
                assert!(!has_features(&needs), "word {word}");
            }
            let leaf_7 = std::arch::x86_64::__cpuid_count(7, 0).ebx;
            for bit in (0..32).filter(|bit| leaf_7 >> bit & 1 == 0) {
                let mut needs = NEEDS;
                needs[1] |= 1 << bit;
                assert!(!has_features(&needs), "leaf 7, bit {bit}");
            }
        }

        /// The check is among the initialisers of a program, and refuses in both languages. The
        /// child is this test, which refuses itself.
        #[test]
        fn a_refusal_says_what_is_missing() {
            const CHILD: &str = "LEITAI_TEST_REFUSE";
            if std::env::var_os(CHILD).is_some() {
                crate::refuse_processor();
            }
            let own = std::env::current_exe().expect("the test's program");
            let name = "check::tests::a_refusal_says_what_is_missing";
            let output = std::process::Command::new(own)
                .args([name, "--exact", "--nocapture"])
                .env(CHILD, "1")
                .output()
                .expect("it starts");
            let said = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(1));
            assert!(
                said.contains("AVX2, BMI2, FMA") && said.contains("此处理器缺少"),
                "{said}"
            );
        }
    }
}
