//! Tests of `accounts::member_list`.

use leitai_server::accounts::member_list::*;
use leitai_store::Timestamp;
use std::collections::HashMap;

fn check(text: &str, team_size: usize) -> Vec<usize> {
    let rules = ListRules {
        team_size,
        members: &[],
        known: &HashMap::from([("ivan1".to_owned(), Timestamp(0))]),
        refused: &HashMap::from([
            ("ivanl".to_owned(), RefusedName::Alike("ivan1".to_owned())),
            ("zoe".to_owned(), RefusedName::Freed(Timestamp(0))),
        ]),
        games: &leitai_game::GameSet::default(),
    };
    match parse_members(text) {
        Err(problems) => problems.iter().map(|problem| problem.line).collect(),
        Ok(lines) => check_members(&lines, &rules)
            .iter()
            .map(|problem| problem.line)
            .collect(),
    }
}

#[test]
fn lists_of_spreadsheets_are_read() {
    let line = |line, name: &str, team: Option<&str>| MemberLine {
        line,
        name: name.to_owned(),
        team: team.map(str::to_owned),
    };
    let expected = vec![line(2, "ada", Some("red")), line(4, "王小明", None)];
    for text in [
        "name,team\nada,red\n\n王小明\n",
        "\u{feff}姓名,队伍\r\nada,red\r\n\r\n王小明,\r\n",
        "Name;Team\n\"ada\";\" red \"\n;\n王小明;",
        "name\tteam\nada\tred\t\n\n王小明\t\t",
    ] {
        let read = parse_members(text);
        if text.contains("\n;\n") {
            assert_eq!(read.expect_err("a line has no name")[0].line, 3);
        } else {
            assert_eq!(read.as_ref(), Ok(&expected), "{text:?}");
        }
    }
    assert_eq!(
        split_fields("\"a\"\"b\",c"),
        Some(vec!["a\"b".to_owned(), "c".to_owned()])
    );
}

#[test]
fn every_wrong_line_is_reported() {
    for (text, team_size, expected) in [
        ("ada,red\nbob,red\n", 2, vec![]),
        ("ada,red\nbob,red\ncara,Red\n", 2, vec![3]),
        ("ada,red\n", 0, vec![1]),
        ("a\nada\nADA\nadmin\nb b\n", 0, vec![1, 3, 4, 5]),
        ("\"ada\n,x\nbob,x,y\n", 1, vec![1, 2, 3]),
        ("", 0, vec![1]),
        ("name,team\n", 0, vec![1]),
        ("ada,r\n", 1, vec![1]),
        // Names that look alike: of an account, on the list, of teams.
        ("ivan1\nivanl\nzoe\n", 0, vec![2, 3]),
        ("tom\ntorn\nTOM2\ntim\n", 0, vec![2]),
        ("ada,red0\nbob,redO\ncara,RED0\n", 3, vec![2]),
    ] {
        assert_eq!(check(text, team_size), expected, "{text:?}");
    }
    let many: String = (0..=MOST)
        .map(|number| format!("person{number}\n"))
        .collect();
    assert_eq!(check(&many, 0), [MOST + 1]);
}
