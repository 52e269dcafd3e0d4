//! `leitai libraries` with a folder: packages of all four kinds go in, bots find them, and what is odd is
//! refused.

use crate::place::{Place, says, says_but_not};
use serde_json::Value;

/// Writes the packages with Python: a wheel and a jar are zip archives, the others compressed tars.
const PACKAGES: &str = r#"
import io, tarfile, zipfile
def zipped(name, files):
    with zipfile.ZipFile(name, "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
def tarred(name, files):
    with tarfile.open(name, "w:gz") as archive:
        for path, text in files.items():
            info = tarfile.TarInfo(path)
            info.size = len(text)
            archive.addfile(info, io.BytesIO(text.encode()))
about = "Name: snakes\nVersion: 1.0\nRequires-Dist: vipers (>=1)\nRequires-Dist: winsnakes; sys_platform == 'win32'\n"
zipped("snakes-1.0-py3-none-any.whl", {"snakes.py": "def choose(legal): return legal[0]\n",
    "snakes-1.0.dist-info/METADATA": about})
zipped("evil-1.0-py3-none-any.whl", {"../evil.py": "", "evil-1.0.dist-info/METADATA": "Name: evil\n"})
zipped("boa-core-2.1.jar", {"boa/Boa.class": ""})
long = "package/" + "a" * 120 + "/x.js"
tarred("pit-1.0.0.tgz", {"package/package.json": '{"name": "@x/pit", "version": "1.0.0"}', long: ""})
tarred("viper-0.1.0.crate", {"viper-0.1.0/Cargo.toml": "[package]\nname = 'viper'\n", "viper-0.1.0/src/lib.rs": ""})
"#;

#[test]
fn packages_go_into_a_folder_and_bots_find_them() {
    let place = Place::new();
    place.write("make.py", PACKAGES);
    let made = std::process::Command::new("python3")
        .arg("make.py")
        .current_dir(place.path())
        .status();
    assert!(made.is_ok_and(|status| status.success()));
    let files = "snakes-1.0-py3-none-any.whl boa-core-2.1.jar pit-1.0.0.tgz viper-0.1.0.crate";
    let said = place.json(&format!("libraries add --folder kept --json {files}"));
    let listed = said["libraries"].as_array().expect("a list").iter();
    let words = |one: &Value| {
        let word = |key| one[key].as_str().expect("text").to_owned();
        ["kind", "name", "version"].map(word).join(" ")
    };
    let listed: Vec<String> = listed.map(words).collect();
    let expected =
        "python snakes 1.0, java boa-core 2.1, javascript @x/pit 1.0.0, rust viper 0.1.0";
    assert_eq!(listed.join(", "), expected);
    assert_eq!(said["missing"], serde_json::json!(["vipers"]));
    let refused = place.said("libraries add --folder kept evil-1.0-py3-none-any.whl");
    says(&refused, &["leads out of the archive"]);
    std::fs::create_dir(place.path().join("mybot")).expect("our own");
    place.write(
        "mybot/main.py",
        "# leitai: protocol=json-lines\nimport json, sys, snakes\nfor line in sys.stdin:\n    \
        said = json.loads(line)\n    if said['type'] == 'turn':\n        \
        print(json.dumps({'action': snakes.choose(said['legal'])}), flush=True)\n",
    );
    let play = |requirements: &str, libraries: &str| {
        place.write("mybot/requirements.txt", requirements);
        let line = "match kob mybot random --seed 1 --legs 1 --no-replay";
        place.said(&format!("{line} {libraries}"))
    };
    let there = play("snakes", "--libraries kept");
    says_but_not(&there, &[], &["could not be built", "RE"]);
    let missing = play("snakes>1", "--libraries kept");
    says(&missing, &["snakes>1; there are: snakes 1.0"]);
    // The program of one bot alters no library of the next.
    let hash = said["libraries"][0]["sha256"].as_str().expect("a hash");
    place.write(&format!("kept/sources/libraries/{hash}"), "altered");
    let altered = play("snakes", "--libraries kept");
    assert!(altered.contains("not the one of the list"), "{altered}");
    let said = place.json("libraries remove python Snakes --folder kept --json");
    has!(said, {"/libraries/#": 3});
}
