//! The system calls that are denied to a program: those that change the machine, inspect other
//! processes, leave the sandbox, or open parts of the kernel that no bot needs. An allow list would
//! break virtual machines with every release; namespaces, user ids and limits contain what this
//! list misses.

use crate::filter_code::{
    ArgumentComparison as Is, ArgumentCondition, CallAnswer, SyscallRule, SyscallRules,
    UnknownProcessor, assemble,
};
use seccompiler::BpfProgram;
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// The purpose of a filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FilterPurpose {
    /// A bot stays in its process group, so that it can be stopped between turns and ended at once,
    /// and on its core. Tools may form groups.
    pub bot: bool,
    /// Whether it shares network, process numbers and IPC with the machine, because there are no
    /// namespaces: sockets are refused, TCP excepted if it is allowed, and so is what reaches other
    /// processes of the same user.
    pub shared: bool,
    /// Whether TCP over IPv4 is allowed; Landlock restricts the port.
    pub tcp: bool,
    /// Whether it may listen: connections that nobody takes hold memory, and without namespaces
    /// others could make them.
    pub listens: bool,
}

/// The filter of a program, in two parts.
#[derive(Clone, Debug)]
pub struct ProgramFilter {
    /// Nearly all of it, which a process can load for its children before they become programs.
    pub early: BpfProgram,
    /// What the program's process needs until it is prepared: its own process group, and filters.
    pub last: Option<BpfProgram>,
}

/// Filters of this process and its copies.
static COMPILED: OnceLock<Vec<(FilterPurpose, ProgramFilter)>> = OnceLock::new();

/// Compiles the filters of programs in namespaces, for all copies of this process.
pub fn compile_ahead() {
    let purposes = [false, true].map(|bot| FilterPurpose {
        bot,
        shared: false,
        tcp: false,
        listens: true,
    });
    let compiled = purposes.map(|purpose| Some((purpose, compile_filter(purpose).ok()?)));
    let _ = COMPILED.set(compiled.into_iter().flatten().collect());
}

/// Compiles a filter, unless it was compiled ahead.
///
/// # Errors
/// On processors that are not known.
pub fn compile_filter(purpose: FilterPurpose) -> Result<ProgramFilter, UnknownProcessor> {
    let ahead = COMPILED.get().into_iter().flatten();
    if let Some((_, filter)) = ahead.into_iter().find(|(known, _)| *known == purpose) {
        return Ok(filter.clone());
    }
    let last = last_answers(purpose).map(|last| assemble(&[last]));
    Ok(ProgramFilter {
        early: assemble(&early_answers(purpose))?,
        last: last.transpose()?,
    })
}

/// What is answered to calls that are not carried out; the first answer counts.
fn early_answers(purpose: FilterPurpose) -> Vec<CallAnswer> {
    [(libc::EPERM, refused_call_rules(purpose))]
        .into_iter()
        .chain(special_answers())
        .chain([(libc::ENOSYS, unknown_call_rules(purpose))])
        .collect()
}

/// Denies a bot process groups of its own, and filters: compiled they lie in memory of the kernel of
/// which the whole machine has one small part, and without it no other program starts.
fn last_answers(purpose: FilterPurpose) -> Option<CallAnswer> {
    let always = [libc::SYS_setpgid, libc::SYS_seccomp].map(|name| (name, Vec::new()));
    let install = argument_equals(0, libc::PR_SET_SECCOMP as u64);
    let rules = always.into_iter().chain([(libc::SYS_prctl, vec![install])]);
    purpose.bot.then(|| (libc::EPERM, rules.collect()))
}

/// `clone3` hides its flags behind a pointer, where a filter cannot look; the C library then uses
/// `clone`. `io_uring` would do what is refused behind the filter's back, and `openat2` hides the
/// mode of the file that it makes. The events of `io_setup` have one bound for the whole machine,
/// and rules of Landlock none.
fn unknown_call_rules(purpose: FilterPurpose) -> SyscallRules {
    let names = [
        libc::SYS_clone3,
        libc::SYS_io_uring_setup,
        libc::SYS_io_uring_enter,
        libc::SYS_io_uring_register,
        libc::SYS_openat2,
        libc::SYS_io_setup,
        libc::SYS_landlock_create_ruleset,
    ];
    let watches: &[i64] = &[
        libc::SYS_inotify_init1,
        #[cfg(target_arch = "x86_64")]
        libc::SYS_inotify_init,
    ];
    let watches = watches.iter().filter(|_| purpose.bot);
    names
        .iter()
        .chain(watches)
        .map(|name| (*name, Vec::new()))
        .collect()
}

fn refused_call_rules(purpose: FilterPurpose) -> SyscallRules {
    let mut rules: SyscallRules = ALWAYS.iter().map(|name| (*name, Vec::new())).collect();
    let mut clone = vec![make_rule(vec![argument_has_bit(0, NEW_NAMESPACES)])];
    // A thread with a table of files of its own, which no account of processes shows.
    let thread = make_condition(
        0,
        Is::MaskedEq((libc::CLONE_THREAD | libc::CLONE_FILES) as u64),
        libc::CLONE_THREAD as u64,
    );
    clone.push(make_rule(vec![thread]));
    rules.insert(libc::SYS_clone, clone);
    rules.insert(
        libc::SYS_ioctl,
        vec![argument_equals(1, TIOCSTI), argument_equals(1, TIOCLINUX)],
    );
    // Runtimes query the current value.
    rules.insert(
        libc::SYS_personality,
        vec![make_rule(vec![
            argument_differs(0, 0xffff_ffff),
            argument_differs(0, 0),
        ])],
    );
    rules.insert(libc::SYS_socket, socket_rules(purpose));
    // A file lease blocks other processes from opening the file, and a change notification can be
    // sent as any signal.
    let notices = [libc::F_SETLEASE, libc::F_NOTIFY, F_SETSIG];
    rules.insert(
        libc::SYS_fcntl,
        notices
            .map(|command| argument_equals(1, command.unsigned_abs().into()))
            .into(),
    );
    rules.insert(
        libc::SYS_prlimit64,
        vec![make_rule(vec![argument_differs(0, 0)])],
    );
    rules.insert(libc::SYS_setsockopt, socket_option_rules());
    rules.insert(libc::SYS_prctl, refused_options());
    // It gives a thread descriptors of its own, too.
    let unshare = argument_has_bit(2, libc::CLOSE_RANGE_UNSHARE.into());
    rules.insert(libc::SYS_close_range, vec![make_rule(vec![unshare])]);
    rules.extend(refused_modes());
    rules.insert(libc::SYS_umask, vec![unreadable_programs(0)]);
    if purpose.bot {
        keep_stopped(&mut rules);
    }
    if !purpose.listens {
        rules.insert(libc::SYS_listen, Vec::new());
    }
    if purpose.shared {
        keep_from_others(purpose, &mut rules);
    }
    rules
}

/// Denies modes of files: set-user-ID bits, because such programs would outlive the sandbox in the
/// folders that a build writes, and [`unreadable_programs`].
fn refused_modes() -> SyscallRules {
    let others_rights = u64::from(libc::S_ISUID | libc::S_ISGID);
    let conditions = move |argument| {
        let unreadable = make_condition(argument, Is::MaskedEq(OWNER_ACCESS), OWNER_EXECUTES);
        [argument_has_bit(argument, others_rights), unreadable]
    };
    let mode = |argument| {
        conditions(argument)
            .map(|condition| make_rule(vec![condition]))
            .to_vec()
    };
    let made = |flags: u8| -> Vec<SyscallRule> {
        let making = libc::O_CREAT | (libc::O_TMPFILE & !libc::O_DIRECTORY);
        let makes = argument_has_bit(flags, making.unsigned_abs().into());
        let rules = conditions(flags + 1).map(|condition| make_rule(vec![makes, condition]));
        rules.into()
    };
    BTreeMap::from([
        (libc::SYS_fchmod, mode(1)),
        (libc::SYS_fchmodat, mode(2)),
        (FCHMODAT2, mode(2)),
        (libc::SYS_mknodat, mode(2)),
        (libc::SYS_openat, made(2)),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_chmod, mode(1)),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_creat, mode(1)),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_mknod, mode(1)),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_open, made(1)),
    ])
}

const OWNER_ACCESS: u64 = (libc::S_IRUSR | libc::S_IXUSR) as u64;
const OWNER_EXECUTES: u64 = libc::S_IXUSR as u64;

/// Denies the mask by which a new file could be executed by its owner and not read: a process that
/// executes such a file leaves the counter of its processor time.
fn unreadable_programs(mask: u8) -> SyscallRule {
    let hides = make_condition(mask, Is::MaskedEq(OWNER_ACCESS), libc::S_IRUSR.into());
    make_rule(vec![hides])
}

/// Denies switching off the counters that a process has opened (none is a program's own, but a
/// charge does not rest on that), keeping a helper of the same user from looking at mappings and
/// descriptors, a core for itself, pages that are merged with others', and a table of futexes of any
/// size, which is memory of the kernel.
fn refused_options() -> Vec<SyscallRule> {
    const PR_TASK_PERF_EVENTS_DISABLE: u64 = 31;
    const PR_TASK_PERF_EVENTS_ENABLE: u64 = 32;
    const PR_SCHED_CORE: u64 = 62;
    const PR_SET_MEMORY_MERGE: u64 = 67;
    const PR_FUTEX_HASH: u64 = 78;
    let hides = [
        make_condition(0, Is::Eq, libc::PR_SET_DUMPABLE as u64),
        make_condition(1, Is::Ne, 1),
    ];
    let refused = [
        PR_TASK_PERF_EVENTS_DISABLE,
        PR_TASK_PERF_EVENTS_ENABLE,
        PR_SCHED_CORE,
        PR_SET_MEMORY_MERGE,
        PR_FUTEX_HASH,
    ];
    refused
        .map(|name| argument_equals(0, name))
        .into_iter()
        .chain([make_rule(hides.to_vec())])
        .collect()
}

/// Denies filters of sockets, which are memory of the kernel, and other code behind them.
fn socket_option_rules() -> Vec<SyscallRule> {
    const TCP_ULP: i32 = 31;
    let attached = [
        libc::SO_ATTACH_FILTER,
        libc::SO_ATTACH_BPF,
        libc::SO_ATTACH_REUSEPORT_CBPF,
        libc::SO_ATTACH_REUSEPORT_EBPF,
    ];
    attached
        .map(|name| socket_option(libc::SOL_SOCKET, name))
        .into_iter()
        .chain([socket_option(libc::IPPROTO_TCP, TCP_ULP)])
        .collect()
}

fn socket_option(level: i32, name: i32) -> SyscallRule {
    let pair = [
        make_condition(1, Is::Eq, level.unsigned_abs().into()),
        make_condition(2, Is::Eq, name.unsigned_abs().into()),
    ];
    make_rule(pair.to_vec())
}

/// Keeps a stopped process from being resumed, with [`last_answers`]. SIGCONT from anybody resumes it. Nobody else runs
/// then, but the kernel sends signals of the program's choice when a timer expires, a child ends,
/// or a parent does.
fn keep_stopped(rules: &mut SyscallRules) {
    let names = [
        libc::SYS_setsid,
        libc::SYS_sched_setaffinity,
        libc::SYS_timer_create,
    ];
    rules.extend(names.map(|name| (name, Vec::new())));
    let goes_on = u64::from(libc::SIGCONT.unsigned_abs());
    let end_of_child = make_rule(vec![make_condition(0, Is::MaskedEq(0xff), goes_on)]);
    rules.entry(libc::SYS_clone).or_default().push(end_of_child);
    let end_of_parent = [
        make_condition(0, Is::Eq, PR_SET_PDEATHSIG),
        make_condition(1, Is::Eq, goes_on),
    ];
    rules
        .entry(libc::SYS_prctl)
        .or_default()
        .push(make_rule(end_of_parent.to_vec()));
}

/// Denies effects on other processes of the machine that Landlock does not prevent.
fn keep_from_others(purpose: FilterPurpose, rules: &mut SyscallRules) {
    const FASTOPEN: u64 = libc::MSG_FASTOPEN as u64;
    // Landlock checks `connect`, but not implicit connections; a pair of datagram sockets may write
    // to any address.
    rules.insert(
        libc::SYS_sendto,
        vec![make_rule(vec![argument_has_bit(3, FASTOPEN)])],
    );
    rules.insert(
        libc::SYS_sendmsg,
        vec![make_rule(vec![argument_has_bit(2, FASTOPEN)])],
    );
    rules.insert(
        libc::SYS_sendmmsg,
        vec![make_rule(vec![argument_has_bit(3, FASTOPEN)])],
    );
    let datagrams = [libc::SOCK_DGRAM, libc::SOCK_RAW].map(|kind| u64::from(kind.unsigned_abs()));
    let pairs = datagrams.map(|kind| make_rule(vec![make_condition(1, Is::MaskedEq(0xf), kind)]));
    rules.insert(libc::SYS_socketpair, pairs.into());
    // A process may only change its own priority.
    let not_itself = |argument| vec![make_rule(vec![argument_differs(argument, 0)])];
    for name in [
        libc::SYS_sched_setscheduler,
        libc::SYS_sched_setparam,
        libc::SYS_sched_setattr,
        libc::SYS_sched_setaffinity,
    ] {
        rules.entry(name).or_insert_with(|| not_itself(0));
    }
    rules.insert(
        libc::SYS_setpriority,
        vec![
            make_rule(vec![argument_differs(0, 0)]),
            make_rule(vec![argument_differs(1, 0)]),
        ],
    );
    rules.insert(
        libc::SYS_ioprio_set,
        vec![
            make_rule(vec![argument_differs(0, 1)]),
            make_rule(vec![argument_differs(1, 0)]),
        ],
    );
    rules
        .entry(libc::SYS_prctl)
        .or_default()
        .push(argument_equals(0, PR_SET_PDEATHSIG));
    // Landlock protects the content of a file, but not its mode, owner, times and attributes.
    // Builds need to change them.
    if purpose.bot {
        rules.extend(FILE_FACTS.iter().map(|name| (*name, Vec::new())));
        let flags = [FS_IOC_SETFLAGS, FS_IOC_FSSETXATTR];
        rules
            .entry(libc::SYS_ioctl)
            .or_default()
            .extend(flags.map(|request| argument_equals(1, request)));
    }
}

const PR_SET_PDEATHSIG: u64 = libc::PR_SET_PDEATHSIG as u64;
const F_SETSIG: i32 = 10;
const FS_IOC_FSSETXATTR: u64 = 0x401c_5820;
/// The crate `libc` has these, but of another type for each C library.
const FS_IOC_SETFLAGS: u64 = 0x4008_6602;
const TIOCSTI: u64 = 0x5412;
const TIOCLINUX: u64 = 0x541c;
/// Calls too new for the C library's list; the numbers are the same on every processor.
const FCHMODAT2: i64 = 452;
const SETXATTRAT: i64 = 463;
const REMOVEXATTRAT: i64 = 466;
const OPEN_TREE_ATTR: i64 = 467;
const FILE_SETATTR: i64 = 469;
/// `kexec_file_load`, which the crate `libc` lacks for musl on ARM.
const KEXEC_FILE_LOAD: i64 = if cfg!(target_arch = "aarch64") {
    294
} else {
    320
};

/// Calls that change the metadata of a file, besides those of [`special_answers`].
const FILE_FACTS: &[i64] = &[
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    FCHMODAT2,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_utimensat,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    REMOVEXATTRAT,
    FILE_SETATTR,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chmod,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_lchown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utime,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utimes,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_futimesat,
];

/// Denies socket families and protocols that open large parts of the kernel. Those to the kernel
/// itself (`AF_NETLINK`) queue memory that no control group counts; who asks for the addresses of
/// the machine by them (`getaddrinfo`) goes on without an answer.
fn socket_rules(purpose: FilterPurpose) -> Vec<SyscallRule> {
    if !purpose.shared {
        let internet = [libc::AF_INET, libc::AF_INET6].map(|family| family as u64);
        let families = [libc::AF_UNIX as u64].into_iter().chain(internet);
        let other_families = families.map(|family| argument_differs(0, family));
        let other_protocols = |family: u64| {
            let protocols = [0, libc::IPPROTO_TCP as u64, libc::IPPROTO_UDP as u64];
            let others = protocols.map(|protocol| argument_differs(2, protocol));
            [make_condition(0, Is::Eq, family)]
                .into_iter()
                .chain(others)
                .collect()
        };
        return [other_families.collect()]
            .into_iter()
            .chain(internet.map(other_protocols))
            .map(make_rule)
            .collect();
    }
    if !purpose.tcp {
        return Vec::new();
    }
    let other_kinds = [
        0,
        libc::SOCK_DGRAM,
        libc::SOCK_RAW,
        libc::SOCK_RDM,
        libc::SOCK_SEQPACKET,
        6,
        10,
    ];
    let kind = |kind: i32| make_rule(vec![make_condition(1, Is::MaskedEq(0xf), kind as u64)]);
    let families = make_rule(vec![argument_differs(0, libc::AF_INET as u64)]);
    // Other protocols use the same socket type, and Landlock does not know them.
    let protocols = make_rule(vec![
        argument_differs(2, 0),
        argument_differs(2, libc::IPPROTO_TCP as u64),
    ]);
    [families, protocols]
        .into_iter()
        .chain(other_kinds.map(kind))
        .collect()
}

/// Answers that are no refusals.
///
/// The size of a socket's buffers is a wish that Linux bounds without a word; here by the default.
/// Attributes of files are answered as by a file system that has none, and tools like `cp -p` go on:
/// an access list can take the right to read from who may execute ([`unreadable_programs`]), and
/// attributes are memory. Moving pages of a file into a socket or pipe is answered as for files that
/// cannot do it, and runtimes copy then: a byte there keeps its whole page, after the file was cut.
fn special_answers() -> [CallAnswer; 3] {
    let always = |names: &[i64]| names.iter().map(|name| (*name, Vec::new())).collect();
    let attributes = [
        libc::SYS_setxattr,
        libc::SYS_lsetxattr,
        libc::SYS_fsetxattr,
        SETXATTRAT,
    ];
    let moves = [libc::SYS_sendfile, libc::SYS_splice, libc::SYS_tee];
    let sizes = [libc::SO_SNDBUF, libc::SO_RCVBUF];
    let sizes = sizes.map(|name| socket_option(libc::SOL_SOCKET, name));
    [
        (libc::EOPNOTSUPP, always(&attributes)),
        (libc::EINVAL, always(&moves)),
        (0, BTreeMap::from([(libc::SYS_setsockopt, sizes.into())])),
    ]
}

const NEW_NAMESPACES: u64 = (libc::CLONE_NEWUSER
    | libc::CLONE_NEWNS
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWCGROUP) as u64;

fn argument_equals(argument: u8, value: u64) -> SyscallRule {
    make_rule(vec![make_condition(argument, Is::Eq, value)])
}

/// At least one of these bits.
fn argument_has_bit(argument: u8, bits: u64) -> ArgumentCondition {
    make_condition(argument, Is::AnyBit, bits)
}

fn argument_differs(argument: u8, value: u64) -> ArgumentCondition {
    make_condition(argument, Is::Ne, value)
}

/// The low half of the argument is compared: that is all the kernel looks at in every call of the
/// list.
fn make_condition(argument: u8, is: Is, value: u64) -> ArgumentCondition {
    ArgumentCondition {
        argument,
        is,
        value,
    }
}

fn make_rule(all_of: Vec<ArgumentCondition>) -> SyscallRule {
    SyscallRule(all_of)
}

/// Denied with any arguments.
const ALWAYS: &[i64] = &[
    // Inspection of other processes.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_process_mrelease,
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
    OPEN_TREE_ATTR,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_open_by_handle_at,
    libc::SYS_name_to_handle_at,
    // Memory that no watch counts, and files without names.
    libc::SYS_memfd_create,
    libc::SYS_memfd_secret,
    libc::SYS_vmsplice,
    // Kernel facilities with a history of vulnerabilities.
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
    libc::SYS_quotactl_fd,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_adjtimex,
    libc::SYS_clock_adjtime,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_modify_ldt,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_iopl,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_ioperm,
    KEXEC_FILE_LOAD,
    // Queues, semaphores and shared memory outlive processes where there is no namespace for them,
    // and those of others are there.
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_msgget,
    libc::SYS_msgctl,
    libc::SYS_msgsnd,
    libc::SYS_msgrcv,
    libc::SYS_semget,
    libc::SYS_semctl,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filter_code::tests::check_against_another_compiler;

    #[test]
    fn every_purpose_compiles() {
        for bits in 0..16 {
            let bit = |at: u32| bits & (1 << at) > 0;
            let purpose = FilterPurpose {
                bot: bit(0),
                shared: bit(1),
                tcp: bit(2),
                listens: bit(3),
            };
            let filter = compile_filter(purpose).expect("this processor is known");
            // The kernel asks the last one first.
            let programs: Vec<_> = filter.last.into_iter().chain([filter.early]).collect();
            let answers: Vec<_> = last_answers(purpose)
                .into_iter()
                .chain(early_answers(purpose))
                .collect();
            check_against_another_compiler(&programs, &answers);
        }
    }
}
