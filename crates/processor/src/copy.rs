//! Copies of memory for static programs. That of musl on x86-64 starts a string instruction for every copy, however short:
//! reading and writing JSON took three times as long with it (docs/benchmarks.md). A program with this crate
//! has these in its place, since a linker takes the definition that it meets first. They ask for nothing but SSE2.

use std::ffi::c_void;

unsafe extern "C" {
    /// Both of C's `memcpy` and `memmove`.
    pub fn leitai_processor_copy(to: *mut c_void, from: *const c_void, bytes: usize)
    -> *mut c_void;
}

std::arch::global_asm!(
    ".pushsection .text.leitai_processor_copy,\"ax\",@progbits",
    ".p2align 5",
    ".globl leitai_processor_copy",
    ".type leitai_processor_copy, @function",
    "leitai_processor_copy:",
    // RDI: to, RSI: from, RDX: bytes. RAX: to. Everything up to 64 bytes is read before it is written.
    "mov rax, rdi",
    "cmp rdx, 16",
    "jae 22f",
    "cmp edx, 8",
    "jae 23f",
    "cmp edx, 4",
    "jae 24f",
    "test edx, edx",
    "jz 25f",
    "mov r9, rdx",
    "shr r9",
    "movzx ecx, byte ptr [rsi]",
    "movzx r8d, byte ptr [rsi + rdx - 1]",
    "movzx r10d, byte ptr [rsi + r9]",
    "mov [rdi], cl",
    "mov [rdi + r9], r10b",
    "mov [rdi + rdx - 1], r8b",
    "25:",
    "ret",
    "24:",
    "mov ecx, [rsi]",
    "mov r8d, [rsi + rdx - 4]",
    "mov [rdi], ecx",
    "mov [rdi + rdx - 4], r8d",
    "ret",
    "23:",
    "mov rcx, [rsi]",
    "mov r8, [rsi + rdx - 8]",
    "mov [rdi], rcx",
    "mov [rdi + rdx - 8], r8",
    "ret",
    // 16 and more.
    "22:",
    "movups xmm0, [rsi]",
    "movups xmm1, [rsi + rdx - 16]",
    "cmp rdx, 32",
    "ja 26f",
    "movups [rdi], xmm0",
    "movups [rdi + rdx - 16], xmm1",
    "ret",
    "26:",
    "cmp rdx, 64",
    "ja 27f",
    "movups xmm2, [rsi + 16]",
    "movups xmm3, [rsi + rdx - 32]",
    "movups [rdi], xmm0",
    "movups [rdi + 16], xmm2",
    "movups [rdi + rdx - 32], xmm3",
    "movups [rdi + rdx - 16], xmm1",
    "ret",
    // More than 64: from the front, unless what is written first would still be read.
    "27:",
    "mov rcx, rdi",
    "sub rcx, rsi",
    "cmp rcx, rdx",
    "jb 29f",
    "movups xmm2, [rsi + rdx - 32]",
    "movups xmm3, [rsi + rdx - 48]",
    "movups xmm4, [rsi + rdx - 64]",
    "lea r8, [rdi + rdx - 64]",
    "32:",
    "movups xmm5, [rsi]",
    "movups xmm6, [rsi + 16]",
    "movups xmm7, [rsi + 32]",
    "movups xmm8, [rsi + 48]",
    "movups [rdi], xmm5",
    "movups [rdi + 16], xmm6",
    "movups [rdi + 32], xmm7",
    "movups [rdi + 48], xmm8",
    "add rsi, 64",
    "add rdi, 64",
    "cmp rdi, r8",
    "jb 32b",
    "movups [r8], xmm4",
    "movups [r8 + 16], xmm3",
    "movups [r8 + 32], xmm2",
    "movups [r8 + 48], xmm1",
    "ret",
    // From the end.
    "29:",
    "movups xmm2, [rsi + 16]",
    "movups xmm3, [rsi + 32]",
    "movups xmm4, [rsi + 48]",
    "28:",
    "movups xmm5, [rsi + rdx - 16]",
    "movups xmm6, [rsi + rdx - 32]",
    "movups xmm7, [rsi + rdx - 48]",
    "movups xmm8, [rsi + rdx - 64]",
    "movups [rdi + rdx - 16], xmm5",
    "movups [rdi + rdx - 32], xmm6",
    "movups [rdi + rdx - 48], xmm7",
    "movups [rdi + rdx - 64], xmm8",
    "sub rdx, 64",
    "cmp rdx, 64",
    "ja 28b",
    "movups [rax], xmm0",
    "movups [rax + 16], xmm2",
    "movups [rax + 32], xmm3",
    "movups [rax + 48], xmm4",
    "ret",
    ".size leitai_processor_copy, .-leitai_processor_copy",
    ".popsection",
);

#[cfg(target_env = "musl")]
std::arch::global_asm!(
    ".globl memcpy",
    ".globl memmove",
    ".set memcpy, leitai_processor_copy",
    ".set memmove, leitai_processor_copy",
);

#[cfg(test)]
mod tests {
    use super::leitai_processor_copy;

    /// Every length through all ways of copying, apart and overlapping by every distance at which a way changes.
    #[test]
    fn copies_are_those_of_the_standard_library() {
        const FROM: usize = 512;
        let distances = [
            -400, -129, -128, -127, -65, -64, -63, -33, -17, -16, -15, -9, -8, -1, 0, 1, 2, 4, 7,
            8, 15, 16, 17, 32, 48, 63, 64, 65, 127, 128, 129, 400,
        ];
        for bytes in 0..=400 {
            for distance in distances {
                let to = FROM.strict_add_signed(distance);
                let mut memory: Vec<u8> =
                    (0..1536_usize).map(|place| (place % 251) as u8).collect();
                let mut expected = memory.clone();
                expected.copy_within(FROM..FROM + bytes, to);
                let start = memory.as_mut_ptr();
                // SAFETY: both ends lie within `memory`: 512 + 400 + 400 bytes at most.
                let said = unsafe {
                    leitai_processor_copy(
                        start.add(to).cast(),
                        start.add(FROM).cast_const().cast(),
                        bytes,
                    )
                };
                assert_eq!(said.cast_const(), memory[to..].as_ptr().cast());
                assert!(memory == expected, "{bytes} bytes by {distance}");
            }
        }
    }
}
