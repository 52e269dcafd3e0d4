//! A helper by itself, for tests and for hosts that cannot be re-executed, like Python.

fn main() {
    leitai_sandbox::run_if_called();
    eprintln!("this is a helper of leitai; it is not started by hand");
    std::process::exit(2);
}
