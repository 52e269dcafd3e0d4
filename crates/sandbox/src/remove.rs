//! Removes folders with untrusted content: nested so deeply that no path reaches the end, with
//! modes that forbid reading, with links to elsewhere.

use rustix::fs::{AtFlags, CWD, Dir, Mode, OFlags, RenameFlags, openat, renameat_with, unlinkat};
use rustix::io::Errno;
use std::ffi::CString;
use std::fs;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Removes a folder with everything in it, and follows no link. Needs as much stack and as many
/// descriptors for a million folders inside each other as for one: they are moved up before they
/// are removed.
///
/// # Errors
/// If something cannot be removed; the rest is.
pub fn remove_tree(top: &Path) -> io::Result<()> {
    let folder = open_folder(CWD, top)?;
    let mut moved = 0;
    let mut names = empty_folder(&folder, &folder, &mut moved)?;
    let mut failed = None;
    while let Some(name) = names.pop() {
        match open_folder(folder.as_fd(), name.as_c_str())
            .and_then(|below| empty_folder(&below, &folder, &mut moved))
        {
            Ok(more) => names.extend(more),
            Err(error) => failed = Some(error),
        }
        if let Err(error) = unlinkat(&folder, name.as_c_str(), AtFlags::REMOVEDIR) {
            failed = Some(error.into());
        }
    }
    failed.map_or(Ok(()), Err)?;
    drop(folder);
    fs::remove_dir(top)
}

/// Opens a folder, if needed after changing its mode.
fn open_folder(at: BorrowedFd<'_>, name: impl rustix::path::Arg + Copy) -> io::Result<OwnedFd> {
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let handle = openat(at, name, flags | OFlags::PATH, Mode::empty())?;
    // Only the owner can do that, and only a non-root owner must.
    let _ = fs::set_permissions(
        format!("/proc/self/fd/{}", handle.as_raw_fd()),
        fs::Permissions::from_mode(0o700),
    );
    Ok(openat(at, name, flags | OFlags::RDONLY, Mode::empty())?)
}

/// Removes the files of a folder and moves its folders to the top; gives the names of these there.
fn empty_folder(folder: &OwnedFd, top: &OwnedFd, moved: &mut u64) -> io::Result<Vec<CString>> {
    let mut found = Vec::new();
    for entry in Dir::read_from(folder)? {
        let name = entry?.file_name().to_owned();
        if matches!(name.as_bytes(), b"." | b"..") {
            continue;
        }
        match unlinkat(folder, name.as_c_str(), AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => {}
            // A folder cannot be removed like a file; POSIX says PERM, Linux ISDIR.
            Err(_) if std::ptr::eq(folder, top) => found.push(name),
            Err(_) => found.push(move_up(folder, &name, top, moved)?),
        }
    }
    Ok(found)
}

/// Moves a folder to the top, under a name that is free there.
fn move_up(
    folder: &OwnedFd,
    name: &CString,
    top: &OwnedFd,
    moved: &mut u64,
) -> io::Result<CString> {
    // Moving changes the folder itself, too: it must be its owner's to write.
    drop(open_folder(folder.as_fd(), name.as_c_str()));
    loop {
        *moved += 1;
        let free = CString::new(format!(".leitai-{moved}")).expect("there is no zero in it");
        match renameat_with(
            folder,
            name.as_c_str(),
            top,
            free.as_c_str(),
            RenameFlags::NOREPLACE,
        ) {
            Ok(()) => return Ok(free),
            Err(Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn everything_is_removed_and_nothing_else() {
        let outside = tempfile::tempdir().expect("a folder");
        fs::write(outside.path().join("file"), "kept").expect("written");
        let folder = tempfile::tempdir().expect("a folder");
        let top = folder.path().join("top");
        fs::create_dir(&top).expect("made");
        symlink(outside.path(), top.join("link")).expect("made");
        fs::write(top.join("file"), "x").expect("written");
        let mut deep = openat(CWD, &top, OFlags::DIRECTORY, Mode::empty()).expect("opened");
        for _ in 0..1500 {
            rustix::fs::mkdirat(&deep, "d", Mode::from_raw_mode(0o300)).expect("made");
            rustix::fs::symlinkat(outside.path(), &deep, "elsewhere").expect("made");
            deep = openat(&deep, "d", OFlags::DIRECTORY | OFlags::PATH, Mode::empty())
                .expect("opened");
        }
        fs::create_dir(top.join("closed")).expect("made");
        fs::write(top.join("closed/file"), "x").expect("written");
        fs::set_permissions(top.join("closed"), fs::Permissions::from_mode(0o0)).expect("our own");
        remove_tree(&top).expect("removed");
        assert!(!top.exists());
        assert_eq!(
            fs::read_to_string(outside.path().join("file")).expect("still there"),
            "kept"
        );
    }

    #[test]
    fn a_link_is_not_followed() {
        let outside = tempfile::tempdir().expect("a folder");
        let folder = tempfile::tempdir().expect("a folder");
        symlink(outside.path(), folder.path().join("link")).expect("made");
        assert!(remove_tree(&folder.path().join("link")).is_err());
        assert!(outside.path().exists());
    }
}
