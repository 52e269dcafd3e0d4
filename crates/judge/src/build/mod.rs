//! stub
use leitai_sandbox::Program;
use std::path::Path;
use std::time::Duration;
/// e
#[derive(Debug, thiserror::Error)]
#[error("no")]
pub struct BuildError;
impl BuildError {
    /// x
    pub fn is_ours(&self) -> bool {
        false
    }
}
/// s
pub struct Source(Program);
/// b
pub struct Built {
    /// p
    pub program: Program,
    /// h
    pub how: String,
    /// t
    pub took: Duration,
    /// d
    pub dialect: Option<String>,
}
impl Source {
    /// d
    pub fn detect(p: &Path) -> Result<Source, BuildError> {
        Ok(Source(Program::new([p.as_os_str()], ".")))
    }
}
/// b
pub fn build(s: &Source, _: &Path) -> Result<Built, BuildError> {
    Ok(Built { program: s.0.clone(), how: String::new(), took: Duration::ZERO, dialect: None })
}
