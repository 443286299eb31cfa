//! Reads JSON as the arena sends it: one value, nested at most `DEPTH` deep, into a tree.
//!
//!     let message = Json::read(&line)?;
//!     for card in message.get("view").get("hand").items() { ... card.text() ... }
//!
//! What is not there reads as null, whose text and items are empty.

const DEPTH: usize = 64;

#[derive(Debug, Clone, PartialEq)]
pub enum Json {
    Null,
    Bool(bool),
    /// As it was written: a seed has 64 bits, more than an f64 holds.
    Number(String),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

#[allow(dead_code)] // some are here for what you will write
impl Json {
    pub fn read(line: &str) -> Result<Json, String> {
        let mut reader = Reader { text: line, at: 0 };
        let value = reader.value(0)?;
        if reader.blank() { Err(reader.wrong()) } else { Ok(value) }
    }

    /// A field of an object.
    pub fn get(&self, key: &str) -> &Json {
        match self {
            Json::Object(fields) => {
                fields.iter().rev().find(|(name, _)| name == key).map_or(&Json::Null, |(_, value)| value)
            }
            _ => &Json::Null,
        }
    }

    /// The items of a list.
    pub fn items(&self) -> &[Json] {
        match self {
            Json::List(items) => items,
            _ => &[],
        }
    }

    /// A string, or a number as it was written.
    pub fn text(&self) -> &str {
        match self {
            Json::Text(text) | Json::Number(text) => text,
            _ => "",
        }
    }

    pub fn whole(&self) -> i64 {
        self.text().parse().unwrap_or(0)
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn wrong(&self) -> String {
        let rest: String = self.text.get(self.at..).unwrap_or("").chars().take(40).collect();
        format!("this is no JSON, from here on: {rest}")
    }

    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn next(&mut self) -> Result<char, String> {
        let found = self.peek().ok_or_else(|| self.wrong())?;
        self.at += found.len_utf8();
        Ok(found)
    }

    /// Pass over blanks; whether anything is left.
    fn blank(&mut self) -> bool {
        while matches!(self.peek(), Some(' ' | '\t' | '\r' | '\n')) {
            self.at += 1;
        }
        self.peek().is_some()
    }

    /// Pass over blanks and this character, if it is the next.
    fn passes(&mut self, expected: char) -> bool {
        self.blank();
        let there = self.peek() == Some(expected);
        if there {
            self.at += 1;
        }
        there
    }

    fn value(&mut self, depth: usize) -> Result<Json, String> {
        if depth == DEPTH {
            return Err(self.wrong());
        }
        if self.passes('{') {
            return self.object(depth + 1);
        }
        if self.passes('[') {
            return self.list(depth + 1);
        }
        if self.peek() == Some('"') {
            return Ok(Json::Text(self.string()?));
        }
        self.word()
    }

    fn list(&mut self, depth: usize) -> Result<Json, String> {
        let mut items = Vec::new();
        if self.passes(']') {
            return Ok(Json::List(items));
        }
        loop {
            items.push(self.value(depth)?);
            if self.passes(']') {
                return Ok(Json::List(items));
            }
            if !self.passes(',') {
                return Err(self.wrong());
            }
        }
    }

    fn object(&mut self, depth: usize) -> Result<Json, String> {
        let mut fields = Vec::new();
        if self.passes('}') {
            return Ok(Json::Object(fields));
        }
        loop {
            self.blank();
            let key = self.string()?;
            if !self.passes(':') {
                return Err(self.wrong());
            }
            fields.push((key, self.value(depth)?));
            if self.passes('}') {
                return Ok(Json::Object(fields));
            }
            if !self.passes(',') {
                return Err(self.wrong());
            }
        }
    }

    fn word(&mut self) -> Result<Json, String> {
        let rest = &self.text[self.at..];
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || "+-.".contains(c))).unwrap_or(rest.len());
        let word = &rest[..end];
        let value = match word {
            "null" => Json::Null,
            "true" => Json::Bool(true),
            "false" => Json::Bool(false),
            _ if word.starts_with(|c: char| c == '-' || c.is_ascii_digit()) => Json::Number(word.to_string()),
            _ => return Err(self.wrong()),
        };
        self.at += end;
        Ok(value)
    }

    fn string(&mut self) -> Result<String, String> {
        if self.peek() != Some('"') {
            return Err(self.wrong());
        }
        self.at += 1;
        let mut found = String::new();
        loop {
            match self.next()? {
                '"' => return Ok(found),
                '\\' => found.push(self.escape()?),
                other => found.push(other),
            }
        }
    }

    fn escape(&mut self) -> Result<char, String> {
        Ok(match self.next()? {
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => {
                let mut code = self.hex()?;
                if code >> 10 == 0xD800 >> 10 && self.text[self.at..].starts_with("\\u") {
                    self.at += 2; // the other half of the pair
                    code = 0x10000 + ((code & 0x3FF) << 10) + (self.hex()? & 0x3FF);
                }
                char::from_u32(code).ok_or_else(|| self.wrong())?
            }
            same @ ('"' | '\\' | '/') => same,
            _ => return Err(self.wrong()),
        })
    }

    fn hex(&mut self) -> Result<u32, String> {
        let digits = self.text.get(self.at..self.at + 4).ok_or_else(|| self.wrong())?;
        let code = u32::from_str_radix(digits, 16).map_err(|_| self.wrong())?;
        self.at += 4;
        Ok(code)
    }
}
