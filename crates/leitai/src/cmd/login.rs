//! `leitai login [SERVER]`

use std::io::{IsTerminal, Read};

use crate::arena::machine;
use crate::cli::{LoginArgs, ScopeArg};
use crate::files::print_stderr;
use crate::prelude::*;
use crate::remote::account::{HERE, asked_server, is_readable_underway, normalize_address};

/// Logs in and stores an API token.
pub fn run(lang: Localizer, args: &LoginArgs) -> Result<ExitCode> {
    let asked = args.server.clone().or_else(asked_server);
    let server = normalize_address(asked.as_deref().unwrap_or(HERE))?;
    if is_readable_underway(&server) {
        print_stderr(&lang.fill(
            "warning: {} is reached without https: whoever is on the way there reads password and token",
            &[&server],
        ));
    }
    let token = match args.token.as_deref() {
        Some("-") => from_stdin()?,
        Some(token) => token.to_owned(),
        None => by_password(lang, &server, args)?,
    };
    let account = SavedLogin {
        server,
        name: String::new(),
        token,
    };
    let me = ArenaClient::from_login(lang, &account).get("/api/me")?;
    let name = me["user"]["name"].as_str().context(
        lang.label("the arena does not accept this token; create a new one on the account's page"),
    )?;
    let account = SavedLogin {
        name: clean_line(name).into_owned(),
        ..account
    };
    let path = account.save_login()?;
    let said = lang.fill("logged in as {} at {}", &[&account.name, &account.server]);
    let path = path.display().to_string();
    let fields = json!({"account": account.name, "server": account.server, "file": path});
    Answer::new("login", fields, format!("{said}   ({path})")).print(args.form.json)
}

fn from_stdin() -> Result<String> {
    let mut text = String::new();
    std::io::stdin()
        .take(4096)
        .read_to_string(&mut text)
        .context("cannot read the token from stdin")?;
    let token = text.trim().to_owned();
    ensure!(!token.is_empty(), "there is no token on stdin");
    Ok(token)
}

/// Prompts for missing values and makes a token for this machine.
fn by_password(lang: Localizer, server: &str, args: &LoginArgs) -> Result<String> {
    ensure!(
        std::io::stdin().is_terminal(),
        lang.label(
            "a password can only be entered in a terminal; otherwise use a token: leitai login --token -"
        )
    );
    let name = match &args.name {
        Some(name) => name.clone(),
        None => ask_question(&format!("{} {server}: ", lang.label("name at")))?,
    };
    let password =
        rpassword::prompt_password(lang.label("password: ")).context("cannot read the password")?;
    let mut wanted = json!({"name": format!("leitai on {}", machine::host_name()), "scopes": scope_names(&args.scopes)});
    if args.days > 0 {
        wanted["days"] = args.days.into();
    }
    let ask_code =
        || ask_question(lang.label("code of your authenticator app, or a recovery code: "));
    ArenaClient::without_login(lang, server).log_in(&name, &password, ask_code, &wanted)
}

/// The scopes as the API names them.
fn scope_names(scopes: &[ScopeArg]) -> Vec<&'static str> {
    let word = |scope: &ScopeArg| match scope {
        ScopeArg::Read => None,
        ScopeArg::Submit => Some("submit"),
        ScopeArg::Play => Some("play"),
        ScopeArg::Organise => Some("organise"),
        ScopeArg::Games => Some("games"),
        ScopeArg::Admin => Some("admin"),
    };
    scopes.iter().filter_map(word).collect()
}

fn ask_question(question: &str) -> Result<String> {
    anstream::eprint!("{question}");
    let mut line = String::new();
    std::io::stdin()
        .read_line(&mut line)
        .context("cannot read from the terminal")?;
    Ok(line.trim().to_owned())
}
