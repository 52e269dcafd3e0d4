//! Tests of `operator_file`.

use leitai_server::operator_file::*;
use std::path::Path;

#[test]
fn what_cannot_be_read_is_said() {
    let folder = tempfile::tempdir().expect("there is room");
    let (file, missing) = (folder.path().join("a"), folder.path().join("b"));
    let read = |file: &Path| read_operator_file(file, 4).map_err(|error| error.to_string());
    for (bytes, said) in [
        (&b"1234"[..], Ok("1234")),
        ("擂".as_bytes(), Ok("擂")),
        (b"12345", Err("a cannot be read: it has more than 4 bytes;")),
        (b"\xff", Err("a cannot be read: it is not UTF-8;")),
    ] {
        std::fs::write(&file, bytes).expect("there is room");
        match (read(&file), said) {
            (Ok(text), Ok(said)) => assert_eq!(text, said),
            (Err(why), Err(said)) => assert!(why.contains(said), "{why}"),
            (read, said) => panic!("{read:?} instead of {said:?}"),
        }
    }
    assert!(read(Path::new("/dev/zero")).is_err_and(|why| why.contains("more than 4 bytes")));
    assert!(read(&missing).is_err_and(|why| why.contains("b cannot be read: No such file")));
}
