//! Markers of PEP 508: whether a requirement counts on this machine.

/// Whether it counts. What is not understood counts: then the library is asked for by name.
pub fn may_hold(marker: &str) -> bool {
    if marker.contains(['(', ')']) {
        return true;
    }
    let any_of = |all: &str| all.split(" and ").all(|one| comparison_holds(one.trim()));
    marker.split(" or ").any(any_of)
}

/// Names with one value wherever programs are built here; the versions of Python differ.
fn value_of(name: &str) -> Option<&'static str> {
    Some(match name {
        "sys_platform" => "linux",
        "platform_system" => "Linux",
        "os_name" => "posix",
        "platform_machine" => std::env::consts::ARCH,
        "implementation_name" => "cpython",
        "platform_python_implementation" => "CPython",
        // No extra is asked for.
        "extra" => "",
        _ => return None,
    })
}

fn comparison_holds(one: &str) -> bool {
    let Some(at) = one.find("==").or_else(|| one.find("!=")) else {
        return true;
    };
    let (name, value) = (
        one[..at].trim(),
        one[at + 2..].trim().trim_matches(['\'', '"']),
    );
    match value_of(name) {
        Some(own) => (own == value) == one[at..].starts_with("=="),
        None => true,
    }
}
