//! Tests of `ladders::file`.

use leitai_server::ladders::LadderRules;
use leitai_server::ladders::file::*;
use leitai_store::LadderId;

const SMALL: &str = r#"
[[ladder]]
game = "kob"
name = "small"
title = "Small boards"
title_zh = "小棋盘"
configs = [{ rows = 9, inner_pairs = 4 }, { rows = 9, inner_pairs = 6 }]
seeds = [3, 1, 4]
"#;

fn parse(text: &str) -> Result<Vec<LadderRules>, String> {
    parse_ladders(text, leitai_games::ALL).map_err(|error| error.to_string())
}

#[test]
fn defaults_of_configs_are_written_out() {
    let ladders = parse(SMALL).expect("it is sound");
    let [small] = &ladders[..] else {
        panic!("{ladders:?}")
    };
    assert_eq!(small.id, LadderId::new("kob", "small"));
    assert_eq!(small.title, ["Small boards", "小棋盘"]);
    let of = |key: &str| -> Vec<i64> {
        let values = small.configs.iter().map(|config| config[key].as_i64());
        values.map(|value| value.expect("a number")).collect()
    };
    assert_eq!((of("rows"), of("inner_pairs")), (vec![9, 9], vec![4, 6]));
    assert_eq!(of("grow_period").len(), 2, "a default");
    assert_eq!(small.seeds, [3, 1, 4]);
}

#[test]
fn what_cannot_be_used_is_said() {
    for (text, said) in [
        (String::new(), "no [[ladder]]"),
        (SMALL.replace("\"small\"", "\"Small!\""), "a-z, 0-9"),
        (SMALL.replace("\"small\"", "\"standard\""), "every game has"),
        (SMALL.replace("\"small\"", "\"a/b\""), "a-z, 0-9"),
        (SMALL.replace("\"kob\"", "\"chess\""), "no game \"chess\""),
        (SMALL.replace("小棋盘", "a\\u0007"), "1 to 60"),
        (SMALL.replace("rows", "rowz"), "rowz"),
        (
            SMALL.replace("configs = [", "configs = [] # "),
            "configs has 0 choices",
        ),
        (SMALL.replace("configs = [", "configs = [3, "), "configs: "),
        (
            SMALL.replace("inner_pairs = 6", "inner_pairs = 99"),
            "configs: inner_pairs is 99",
        ),
        (SMALL.replace("[3, 1, 4]", "[9007199254740992]"), "2^53"),
        (SMALL.replace("seeds", "seed"), "unknown field"),
        (format!("{SMALL}{SMALL}"), "two with this name"),
        (SMALL.replace("title = \"Small boards\"", ""), "title"),
    ] {
        let refused = parse(&text).expect_err(&text);
        assert!(refused.contains(said), "{refused}");
    }
    let many: String = (0..17)
        .map(|at| SMALL.replace("\"small\"", &format!("\"small-{at}\"")))
        .collect();
    let refused = parse(&many).expect_err("too many");
    assert!(refused.contains("more than 16"), "{refused}");
    let other = SMALL.replace("\"kob\"", "\"snakego\"").replace(
        "configs = [{ rows = 9, inner_pairs = 4 }, { rows = 9, inner_pairs = 6 }]",
        "",
    );
    assert_eq!(
        parse(&format!("{SMALL}{other}")).map(|all| all.len()),
        Ok(2)
    );
}
