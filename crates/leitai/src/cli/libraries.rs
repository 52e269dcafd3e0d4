//! `leitai libraries …`

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};

use super::DataDirArgs;
use super::values::JsonArg;

#[derive(Subcommand)]
pub enum LibrariesCommand {
    /// List what bots are built with: compilers, interpreters and libraries of the arena, or the
    /// libraries of a folder.
    List(LibraryListArgs),
    /// Allow libraries: wheels, jars, packages of npm, crates. Python's and npm's may be named; pip and
    /// npm of this machine fetch them.
    Add(LibraryAddArgs),
    /// Take libraries off the list.
    Remove(LibraryRemoveArgs),
    /// Copy the libraries of the arena into a folder, for matches on this machine with the same ones.
    Get(LibraryGetArgs),
}

/// Where the list is.
#[derive(Args)]
pub struct LibraryPlaceArgs {
    /// Change the list of this folder instead of the arena's on this machine.
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath, conflicts_with_all = ["data", "replays"])]
    pub folder: Option<PathBuf>,
    #[command(flatten)]
    pub place: DataDirArgs,
    #[command(flatten)]
    pub form: JsonArg,
}

#[derive(Args)]
#[command(after_help = "Example:\n  leitai libraries list")]
pub struct LibraryListArgs {
    /// List this folder instead of the arena of the login.
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub folder: Option<PathBuf>,
    #[command(flatten)]
    pub form: JsonArg,
}

#[derive(Args)]
#[command(
    after_help = "Examples:\n  leitai libraries add python numpy==2.2.0\n  leitai libraries add ./gson-2.11.0.jar ./rand-0.8.5.crate"
)]
pub struct LibraryAddArgs {
    /// Files (.whl, .jar, .tgz, .crate); or python or javascript and names with versions, such as
    /// numpy==2.2.0.
    #[arg(required = true, value_hint = ValueHint::FilePath)]
    pub words: Vec<String>,
    #[command(flatten)]
    pub place: LibraryPlaceArgs,
}

#[derive(Args)]
#[command(after_help = "Example:\n  leitai libraries remove python numpy")]
pub struct LibraryRemoveArgs {
    /// python, java, javascript or rust.
    pub kind: String,
    /// Names.
    #[arg(required = true)]
    pub names: Vec<String>,
    #[command(flatten)]
    pub place: LibraryPlaceArgs,
}

#[derive(Args)]
#[command(after_help = "Example:\n  leitai libraries get ./libraries")]
pub struct LibraryGetArgs {
    /// The folder.
    #[arg(value_hint = ValueHint::DirPath)]
    pub folder: PathBuf,
    #[command(flatten)]
    pub form: JsonArg,
}
