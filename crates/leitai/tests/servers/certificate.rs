//! A certificate that signs itself, as docs/operating.md has one for the bus.

use std::path::Path;
use std::process::Command;

/// Makes a certificate for 127.0.0.1 in this folder: `NAME.crt` and `NAME.key`.
pub fn make_certificate(folder: &Path, name: &str) -> [String; 2] {
    let files = ["crt", "key"].map(|end| folder.join(format!("{name}.{end}")));
    let [certificate, key] = files.map(|file| file.display().to_string());
    let made = Command::new("openssl")
        .args(["req", "-x509", "-nodes", "-days", "2", "-newkey", "ec"])
        .args(["-pkeyopt", "ec_paramgen_curve:prime256v1"])
        .args("-subj /CN=Leitai -addext subjectAltName=IP:127.0.0.1".split(' '))
        .args(["-addext", "basicConstraints=critical,CA:FALSE"])
        .args(["-out", &certificate, "-keyout", &key])
        .output()
        .expect("openssl runs");
    assert!(made.status.success(), "{made:?}");
    [certificate, key]
}
