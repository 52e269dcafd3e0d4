//! Tier C: without namespaces, Landlock denies a program access to the files, sockets and processes
//! of others.

use crate::identity::RunAs;
use crate::leftovers;
use crate::messages::StartOrder;
use crate::remove::remove_tree;
use crate::setup_error::{SetupError, failed_step};
use crate::view;
use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, NetPort, PathBeneath,
    PathFd, Ruleset, RulesetAttr, RulesetCreated, RulesetCreatedAttr, Scope,
};
use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::PathBuf;

/// The system paths that a program may read and execute.
const SYSTEM: [&str; 10] = [
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/nix/store",
    // Node.js does not start if this file exists but is not readable.
    "/etc/ssl/openssl.cnf",
    "/proc/cpuinfo",
    "/proc/meminfo",
];

/// The newest Landlock ABI that this code uses; an older kernel enforces what it can.
const NEWEST: ABI = ABI::V6;

/// A folder that one program may write to; its home. Removed with everything in it.
pub struct ScratchFolder {
    folder: PathBuf,
}

impl Drop for ScratchFolder {
    fn drop(&mut self) {
        // What cannot be removed now is tried again by the next sandbox.
        let _ = remove_tree(&self.folder);
    }
}

impl ScratchFolder {
    /// Makes it, links the program's files into it, and makes it the program's home.
    pub fn make_folder(
        order: &mut StartOrder,
        identity: RunAs,
    ) -> Result<ScratchFolder, SetupError> {
        let failed = "making a home for the program";
        let (prefix, own) = (
            format!("{}-", leftovers::owner_name()),
            fs::Permissions::from_mode(0o700),
        );
        let folder = tempfile::Builder::new()
            .prefix(&prefix)
            .permissions(own)
            .tempdir();
        let folder = folder.map_err(failed_step(failed))?.keep();
        let scratch = ScratchFolder {
            folder: folder.clone(),
        };
        order.linked = view::link_files(order, &order.dir, &folder)?;
        chown(&folder, Some(identity.inside_uid()), None).map_err(failed_step(failed))?;
        let path = folder.as_os_str().to_owned();
        order.prepend_env([("HOME", path.clone()), ("TMPDIR", path)]);
        order.scratch = Some(folder);
        Ok(scratch)
    }
}

/// Restricts this process and all its descendants, and enters the program's home.
pub fn restrict_files(order: &StartOrder) -> Result<(), SetupError> {
    let place = order
        .scratch
        .as_ref()
        .filter(|_| order.linked)
        .unwrap_or(&order.dir);
    rustix::process::chdir(place).map_err(failed_step("entering the program's folder"))?;
    let failed = |_| SetupError::new("closing the fence (Landlock)", libc::ENOSYS);
    let rules = || -> Result<(), landlock::RulesetError> {
        let read = AccessFs::from_read(NEWEST);
        let all = AccessFs::from_all(NEWEST);
        let device = AccessFs::ReadFile | AccessFs::WriteFile;
        let readable = SYSTEM
            .iter()
            .map(PathBuf::from)
            .chain(view::needed_settings())
            .chain(order.reads.iter().cloned());
        let rules = begin_ruleset()?;
        let rules = allow_path(rules, readable.chain([order.dir.clone()]), read)?;
        let rules = allow_path(rules, view::DEVICES.iter().map(PathBuf::from), device)?;
        let rules = allow_path(
            rules,
            order.writes.iter().chain(&order.scratch).cloned(),
            all,
        )?;
        let rules = match order.port {
            Some(port) => rules.add_rule(NetPort::new(port, AccessNet::ConnectTcp))?,
            None => rules,
        };
        rules.restrict_self().map(drop)
    };
    rules().map_err(failed)
}

/// File access is always restricted; ports, signals and sockets where the kernel can.
fn begin_ruleset() -> Result<RulesetCreated, landlock::RulesetError> {
    Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(ABI::V1))?
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(NEWEST))?
        .handle_access(AccessNet::from_all(NEWEST))?
        .scope(Scope::from_all(NEWEST))?
        .create()
}

/// A missing path needs no rule.
fn allow_path(
    mut rules: RulesetCreated,
    paths: impl Iterator<Item = PathBuf>,
    access: BitFlags<AccessFs>,
) -> Result<RulesetCreated, landlock::RulesetError> {
    for path in paths {
        let Ok(meta) = fs::metadata(&path) else {
            continue;
        };
        let access = if meta.is_dir() {
            access
        } else {
            access & AccessFs::from_file(NEWEST)
        };
        if let Ok(fd) = PathFd::new(&path) {
            rules = rules.add_rule(PathBeneath::new(fd, access))?;
        }
    }
    Ok(rules)
}
