//! The text around what was found, with marks.

use super::fold::small;

/// Characters before the first mark, and in all.
const BEFORE: usize = 48;
const LENGTH: usize = 220;

/// A piece of the text with the places of the words in it, in characters (not bytes, not UTF-16 units): from, to.
pub(super) fn snippet<'a>(
    text: &str,
    words: impl Iterator<Item = &'a str>,
) -> (String, Vec<(u32, u32)>) {
    let chars: Vec<char> = text.chars().collect();
    let folded: Vec<char> = chars.iter().copied().map(small).collect();
    let mut found = Vec::new();
    // The word that is the rarest here tells the most of why this was found.
    let mut rarest: Option<(usize, usize)> = None;
    for word in words {
        let word: Vec<char> = word.chars().collect();
        let before = found.len();
        found.extend(places(&folded, &word).map(|at| (at, at + word.len())));
        let count = found.len() - before;
        if count > 0 && rarest.is_none_or(|(least, _)| count < least) {
            rarest = Some((count, found[before].0));
        }
    }
    found.sort_unstable();
    let first = rarest.map_or(0, |(_, at)| at);
    let mut start = first.saturating_sub(BEFORE);
    if start > 0 {
        // Better from the beginning of a word, if there is one before the mark.
        let space = chars[start..first].iter().position(|c| *c == ' ');
        start += space.map_or(0, |at| at + 1);
    }
    let end = (start + LENGTH).min(chars.len());
    let (ahead, behind) = (start > 0, end < chars.len());
    let mut piece = String::new();
    if ahead {
        piece.push('…');
    }
    piece.extend(&chars[start..end]);
    if behind {
        piece.push('…');
    }
    let shift = |at: usize| (at.clamp(start, end) - start + usize::from(ahead)) as u32;
    let mut marks: Vec<(u32, u32)> = Vec::new();
    for (from, to) in found
        .into_iter()
        .filter(|(from, to)| *to > start && *from < end)
    {
        let (from, to) = (shift(from), shift(to));
        match marks.last_mut() {
            Some(last) if from <= last.1 => last.1 = last.1.max(to),
            _ => marks.push((from, to)),
        }
    }
    (piece, marks)
}

fn places<'a>(text: &'a [char], word: &'a [char]) -> impl Iterator<Item = usize> + 'a {
    let first = word.first().copied();
    text.iter()
        .enumerate()
        .filter(move |(at, c)| Some(**c) == first && text[*at..].starts_with(word))
        .map(|(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_marked_where_it_stands_in_characters() {
        let (text, marks) = snippet(
            "Größe der ÄNDERUNG 检索",
            ["änderung", "索", "größe"].into_iter(),
        );
        assert_eq!(text, "Größe der ÄNDERUNG 检索");
        assert_eq!(marks, [(0, 5), (10, 18), (20, 21)]);
    }

    #[test]
    fn a_long_text_is_cut_around_the_first_word_found() {
        let long = format!("{} needle {}", "hay ".repeat(200), "straw ".repeat(200));
        let (text, marks) = snippet(&long, ["needle"].into_iter());
        let (from, to) = marks[0];
        let marked: String = text
            .chars()
            .skip(from as usize)
            .take((to - from) as usize)
            .collect();
        assert_eq!(marked, "needle");
        assert!(
            text.starts_with("…hay") && text.ends_with('…') && text.chars().count() <= LENGTH + 2,
            "{text}"
        );
    }

    #[test]
    fn a_long_text_is_cut_around_the_word_that_is_rare_in_it() {
        let long = format!("{}needle hay", "hay ".repeat(200));
        let (text, marks) = snippet(&long, ["hay", "needle"].into_iter());
        assert!(text.contains("needle") && marks.len() > 2, "{text}");
    }

    #[test]
    fn marks_that_touch_are_one() {
        assert_eq!(snippet("aaaa", ["aa"].into_iter()).1, [(0, 4)]);
    }
}
