//! A page of text in two columns: names and values.

/// Where the values begin.
const VALUES: usize = 13;
/// How far a paragraph goes.
const WIDTH: usize = 88;
/// Where the remark beside a value begins.
const REMARKS: usize = 56;

#[derive(Debug, Default)]
pub struct Page {
    lines: Vec<String>,
}

impl Page {
    /// One line, however long: paths are copied from it.
    pub fn row(&mut self, name: &str, value: &str) {
        let line = format!("{name:<VALUES$}{value}");
        self.lines.push(line.trim_end().to_owned());
    }

    /// A value and a remark in a column of its own.
    pub fn pair(&mut self, name: &str, value: &str, remark: &str) {
        self.row(name, &format!("{value:<REMARKS$}  {remark}"));
    }

    /// Words, on as many lines as they need.
    pub fn paragraph(&mut self, name: &str, words: &str) {
        let mut name = name;
        let mut line = String::new();
        for word in words.split_whitespace() {
            let length = line.chars().count() + 1 + word.chars().count();
            if !line.is_empty() && VALUES + length > WIDTH {
                self.row(std::mem::take(&mut name), &line);
                line.clear();
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        self.row(name, &line);
    }

    pub fn text(&self) -> String {
        let lines = self.lines.iter();
        lines.flat_map(|line| [line.as_str(), "\n"]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_paragraph_is_broken_between_words_and_stays_in_its_column() {
        let mut page = Page::default();
        page.paragraph("note", &"four words of text ".repeat(10));
        let text = page.text();
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines.len() > 1, "{text}");
        assert!(lines[0].starts_with("note         four"), "{text}");
        assert!(
            lines[1..]
                .iter()
                .all(|line| line.starts_with(&" ".repeat(VALUES))),
            "{text}"
        );
        assert!(lines.iter().all(|line| line.chars().count() <= WIDTH));
        let words: Vec<&str> = text.split_whitespace().skip(1).collect();
        assert_eq!(words.len(), 40);
    }

    #[test]
    fn remarks_stand_under_one_another() {
        let mut page = Page::default();
        page.pair("a", "short", "x");
        page.pair("", "a longer one", "y");
        let text = page.text();
        let places: Vec<_> = text.lines().map(|line| line.len()).collect();
        assert_eq!(places[0], places[1]);
    }
}
