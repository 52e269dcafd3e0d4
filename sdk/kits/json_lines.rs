
/// Just enough JSON for the messages of the judge: a word (a string or a number), a list or an object.
#[derive(Clone, Debug, Default)]
pub struct Json {
    pub word: String,
    pub items: Vec<Json>,
    pub members: Vec<(String, Json)>,
}

impl Json {
    pub fn get(&self, key: &str) -> &Json {
        static NOTHING: Json = Json { word: String::new(), items: Vec::new(), members: Vec::new() };
        self.members.iter().find(|(name, _)| name == key).map_or(&NOTHING, |(_, value)| value)
    }

    /// 0 where there is no number.
    pub fn number(&self) -> i32 {
        self.word.parse().unwrap_or(0)
    }

    pub fn number_or(&self, otherwise: i32) -> i32 {
        self.word.parse().unwrap_or(otherwise)
    }

    pub fn cell(&self) -> Cell {
        match self.items.as_slice() {
            [one, other] => (one.number(), other.number()),
            _ => (-1, -1),
        }
    }

    pub fn cells(&self) -> Vec<Cell> {
        self.items.iter().map(Json::cell).collect()
    }

    pub fn words(&self) -> Vec<String> {
        self.items.iter().map(|item| item.word.clone()).collect()
    }

    /// Reads a value from the front of `text`.
    pub fn read(text: &mut &str) -> Json {
        let mut json = Json::default();
        let is_object = skip(text).starts_with('{');
        let Some(inside) = text.strip_prefix(['[', '{']) else {
            json.word = read_word(text);
            return json;
        };
        *text = inside;
        while !skip(text).is_empty() && !text.starts_with([']', '}']) {
            let key = if is_object { read_word(text) } else { String::new() };
            let value = Json::read(text);
            match is_object {
                true => json.members.push((key, value)),
                false => json.items.push(value),
            }
        }
        *text = text.get(1..).unwrap_or("");
        json
    }
}

fn skip<'a>(text: &mut &'a str) -> &'a str {
    *text = text.trim_start_matches(|c: char| c.is_whitespace() || c == ',' || c == ':');
    text
}

fn read_word(text: &mut &str) -> String {
    let quoted = skip(text).strip_prefix('"');
    let inside = quoted.unwrap_or(text);
    let is_end = |c: char| if quoted.is_some() { c == '"' } else { ",:]} \r\n".contains(c) };
    let mut is_escaped = false;
    let end = inside.find(|c: char| {
        let ends = is_end(c) && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        ends
    });
    let word = &inside[..end.unwrap_or(inside.len())];
    let rest = &inside[word.len()..];
    *text = if quoted.is_some() { rest.get(1..).unwrap_or("") } else { rest };
    word.to_owned()
}

/// Answers every question of the judge with what `decide(view, legal, setup)` gives.
pub fn answer_all(mut decide: impl FnMut(&Json, &Json, &Json) -> String) {
    let mut setup = Json::default();
    for line in std::io::stdin().lines().map_while(Result::ok) {
        let message = Json::read(&mut line.as_str());
        match message.get("type").word.as_str() {
            "start" => setup = message.get("setup").clone(),
            "turn" => println!("{{\"action\":\"{}\"}}", decide(message.get("view"), message.get("legal"), &setup)),
            _ => {}
        }
    }
}

/// The file sdk/viewer/leitai_viewer.rs of Leitai, the same by itself.
pub mod viewer {
