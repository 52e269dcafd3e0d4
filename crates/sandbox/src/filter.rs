//! The system calls that a program is refused: those that change the machine, look into other processes, leave the
//! sandbox, or open parts of the kernel that no bot needs. A list of what is allowed instead would break virtual machines
//! with every release; namespaces, user ids and limits hold whatever is not listed here.

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen as Len, SeccompCmpOp as Is, SeccompCondition, SeccompFilter,
    SeccompRule, sock_filter,
};
use std::collections::BTreeMap;

/// What a filter is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Purpose {
    /// A bot stays in its process group, so that it can be stopped between turns and ended at once, and on its core.
    /// Tools may form groups.
    pub bot: bool,
    /// Whether there is a network to be kept from: sockets are refused, TCP excepted if it is allowed.
    pub shared_network: bool,
    /// TCP over IPv4, to a port that somebody else restricts.
    pub tcp: bool,
}

/// The programs to be loaded, in this order, by `seccompiler::apply_filter`.
///
/// # Errors
/// On processors that the library does not know.
pub fn programs(purpose: Purpose) -> Result<Vec<BpfProgram>, String> {
    let arch = std::env::consts::ARCH.try_into().map_err(|error| format!("{error}"))?;
    let compile = |rules: BTreeMap<i64, Vec<SeccompRule>>, errno: i32| -> Result<BpfProgram, String> {
        let refuse = SeccompAction::Errno(errno.unsigned_abs());
        let filter = SeccompFilter::new(rules, SeccompAction::Allow, refuse, arch);
        filter.and_then(BpfProgram::try_from).map_err(|error| error.to_string())
    };
    let mut all = vec![compile(refused(purpose), libc::EPERM)?, compile(unknown(), libc::ENOSYS)?];
    all.extend(other_numbering());
    Ok(all)
}

/// `clone3` hides its flags behind a pointer, where a filter cannot look; the C library then uses `clone`. `io_uring`
/// would do what is refused behind the filter's back.
fn unknown() -> BTreeMap<i64, Vec<SeccompRule>> {
    let names =
        [libc::SYS_clone3, libc::SYS_io_uring_setup, libc::SYS_io_uring_enter, libc::SYS_io_uring_register];
    names.into_iter().map(|name| (name, Vec::new())).collect()
}

fn refused(purpose: Purpose) -> BTreeMap<i64, Vec<SeccompRule>> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = ALWAYS.iter().map(|name| (*name, Vec::new())).collect();
    rules.insert(libc::SYS_clone, any_bit(0, NEW_NAMESPACES));
    rules.insert(libc::SYS_ioctl, vec![equal(1, libc::TIOCSTI), equal(1, libc::TIOCLINUX)]);
    // Asking for the current one is what runtimes do.
    rules.insert(libc::SYS_personality, vec![rule(vec![differs(0, 0xffff_ffff), differs(0, 0)])]);
    rules.insert(libc::SYS_socket, sockets(purpose));
    if purpose.bot {
        rules.extend(
            [libc::SYS_setsid, libc::SYS_setpgid, libc::SYS_sched_setaffinity].map(|name| (name, Vec::new())),
        );
    }
    rules
}

/// Without a shared network only the families that open large parts of the kernel are refused.
fn sockets(purpose: Purpose) -> Vec<SeccompRule> {
    if !purpose.shared_network {
        let allowed = [libc::AF_UNIX, libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK];
        return vec![rule(allowed.map(|family| differs(0, family as u64)).to_vec())];
    }
    if !purpose.tcp {
        return Vec::new();
    }
    let other_kinds = [0, libc::SOCK_DGRAM, libc::SOCK_RAW, libc::SOCK_RDM, libc::SOCK_SEQPACKET, 6, 10];
    let kind = |kind: i32| rule(vec![condition(1, Is::MaskedEq(0xf), kind as u64)]);
    let families = rule(vec![differs(0, libc::AF_INET as u64)]);
    [families].into_iter().chain(other_kinds.map(kind)).collect()
}

/// The numbers of the x32 way to call the same kernel would pass a list of the usual ones. Four instructions: load the
/// number, and refuse those with the bit.
fn other_numbering() -> Option<BpfProgram> {
    const LOAD_WORD: u16 = 0x20;
    const JUMP_IF_GREATER_OR_EQUAL: u16 = 0x35;
    const RETURN: u16 = 0x06;
    const X32_BIT: u32 = 0x4000_0000;
    const ALLOW: u32 = 0x7fff_0000;
    const ERRNO: u32 = 0x0005_0000;
    let step = |code, jt, jf, k| sock_filter { code, jt, jf, k };
    cfg!(target_arch = "x86_64").then(|| {
        vec![
            step(LOAD_WORD, 0, 0, 0),
            step(JUMP_IF_GREATER_OR_EQUAL, 0, 1, X32_BIT),
            step(RETURN, 0, 0, ERRNO | libc::ENOSYS.unsigned_abs()),
            step(RETURN, 0, 0, ALLOW),
        ]
    })
}

const NEW_NAMESPACES: u64 = (libc::CLONE_NEWUSER
    | libc::CLONE_NEWNS
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWCGROUP) as u64;

fn any_bit(argument: u8, bits: u64) -> Vec<SeccompRule> {
    let each = (0..64).map(|at| 1_u64 << at).filter(|bit| bits & bit != 0);
    each.map(|bit| rule(vec![condition(argument, Is::MaskedEq(bit), bit)])).collect()
}

fn equal(argument: u8, value: u64) -> SeccompRule {
    rule(vec![condition(argument, Is::Eq, value)])
}

fn differs(argument: u8, value: u64) -> SeccompCondition {
    condition(argument, Is::Ne, value)
}

/// The low half of the argument is compared: that is all the kernel looks at in every call of the list.
fn condition(argument: u8, is: Is, value: u64) -> SeccompCondition {
    SeccompCondition::new(argument, Len::Dword, is, value).expect("a system call has six arguments")
}

fn rule(all_of: Vec<SeccompCondition>) -> SeccompRule {
    SeccompRule::new(all_of).expect("a rule has conditions")
}

/// Refused whatever the arguments.
const ALWAYS: &[i64] = &[
    // Looking into other processes.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    // Mounts, namespaces, roots.
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_open_by_handle_at,
    libc::SYS_name_to_handle_at,
    // Memory that no watchdog sees, and files without a name.
    libc::SYS_memfd_create,
    libc::SYS_memfd_secret,
    // Kernel facilities with a history of holes.
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_fanotify_init,
    libc::SYS_fanotify_mark,
    libc::SYS_lookup_dcookie,
    libc::SYS_vhangup,
    libc::SYS_syslog,
    // The machine itself.
    libc::SYS_reboot,
    libc::SYS_kexec_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_adjtimex,
    libc::SYS_clock_adjtime,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_iopl,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_ioperm,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_kexec_file_load,
    // System V queues, semaphores and shared memory outlive processes where there is no namespace for them.
    libc::SYS_shmget,
    libc::SYS_msgget,
    libc::SYS_semget,
    libc::SYS_mq_open,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_purpose_compiles() {
        for bits in 0..8 {
            let purpose = Purpose { bot: bits & 1 > 0, shared_network: bits & 2 > 0, tcp: bits & 4 > 0 };
            let programs = programs(purpose).expect("this processor is known");
            assert!(
                programs.iter().all(|program| !program.is_empty() && program.len() < 4096),
                "{purpose:?}"
            );
        }
    }
}
