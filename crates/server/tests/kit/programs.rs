//! Programs that tests of the server and of the command line let play.

/// It plays the first legal action.
pub const FIRST_LEGAL: &str = r#"# leitai: protocol=json-lines
import json, sys

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "turn":
        print(json.dumps({"action": message["legal"][0]}), flush=True)
"#;
