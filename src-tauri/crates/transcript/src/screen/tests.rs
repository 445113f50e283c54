#![allow(clippy::unwrap_used)]

use std::ops::Range;

use proptest::prelude::*;
use serde::Deserialize;

use super::{COLUMNS, Index, Line, OutputLine, OutputRun, Screen};

/// All lines of what is fed in these pieces.
fn lines_of<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Vec<OutputLine> {
    let mut lines = Vec::new();
    let mut take = |number: u64, line: Line<'_>| {
        assert_eq!(number, lines.len() as u64, "each line once and in order");
        lines.push(line.to_output());
    };
    let mut screen = Screen::default();
    for piece in pieces {
        screen.feed(piece, &mut take);
    }
    screen.end(&mut take);
    screen.rest(&mut take);
    assert_eq!(screen.total(), lines.len() as u64);
    lines
}

fn lines(output: &[u8]) -> Vec<OutputLine> {
    lines_of([output])
}

fn text(line: &OutputLine) -> String {
    line.runs.iter().map(|run| run.text.as_str()).collect()
}

fn texts(output: &str) -> Vec<String> {
    lines(output.as_bytes()).iter().map(text).collect()
}

/// The cases that the page's own screen is held to as well.
#[derive(Deserialize)]
struct Case {
    name: String,
    input: String,
    lines: Vec<OutputLine>,
}

fn cases() -> Vec<Case> {
    let file = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../../tests/conversations/screens.json"
    );
    serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap()
}

#[test]
fn each_case_gives_its_lines_however_it_is_split() {
    let cases = cases();
    assert!(cases.len() > 30);
    for case in cases {
        let input = case.input.as_bytes();
        assert_eq!(lines(input), case.lines, "{}", case.name);
        for at in 0..input.len() {
            let (a, b) = input.split_at(at);
            assert_eq!(lines_of([a, b]), case.lines, "{} at {at}", case.name);
        }
        assert_eq!(lines_of(input.chunks(1)), case.lines, "{}", case.name);
    }
}

#[test]
fn a_character_is_never_broken_apart_wherever_the_pieces_end() {
    let output = "编译中…\u{301} 👩‍💻\u{1b}[31m完成\u{1b}[0m 🇨🇭\r编译好\n".repeat(3);
    let whole = lines(output.as_bytes());
    for at in 0..=output.len() {
        let (a, b) = output.as_bytes().split_at(at);
        assert_eq!(lines_of([a, b]), whole, "{at}");
    }
    assert!(whole.iter().all(|line| !text(line).contains('\u{fffd}')));
}

#[test]
fn bytes_that_are_no_text_are_shown_as_what_they_are() {
    // "编译" in the code page of a Chinese Windows.
    assert_eq!(
        text(&lines(b"a \xb1\xe0\xd2\xeb z")[0]),
        "a \u{fffd}\u{fffd}\u{fffd}\u{fffd} z"
    );
    assert_eq!(text(&lines(b"\x93x\x94")[0]), "\u{fffd}x\u{fffd}");
    assert_eq!(text(&lines(b"half \xe7\xbc")[0]), "half \u{fffd}");
}

#[test]
fn a_wide_character_that_is_written_over_in_half_goes_as_a_whole() {
    assert_eq!(texts("编译\rab"), ["ab译"]);
    assert_eq!(texts("编译\rx"), ["x 译"]);
    assert_eq!(texts("编译\u{8}x"), ["编 x"]);
    assert_eq!(texts("编译\u{1b}[3D\u{1b}[K"), [" "]);
    assert_eq!(
        texts("a\tb\u{1b}[4D!"),
        ["a   ! b".replace("a   ! b", "a    !  b")]
    );
}

#[test]
fn marks_without_a_width_stay_with_their_letter() {
    assert_eq!(texts("e\u{301}\u{8}a"), ["a"]);
    assert_eq!(texts("e\u{301}x\u{8}y"), ["e\u{301}y"]);
    let noise = format!("z{}", "\u{336}".repeat(10_000));
    assert!(texts(&noise)[0].len() < 100);
    assert_eq!(texts("\u{301}x"), ["\u{301}x"]);
}

#[test]
fn only_the_last_lines_can_be_written_over() {
    let mut output: String = (0..2_000).map(|n| format!("line {n}\n")).collect();
    output.push_str("\u{1b}[9999Aover\u{1b}[9999B\nend");
    let lines = texts(&output);
    assert_eq!(lines.len(), 2_002);
    let over: Vec<_> = lines
        .iter()
        .enumerate()
        .filter(|(_, line)| line.contains("over"))
        .collect();
    assert_eq!(over, [(1_501, &"over 1501".to_owned())]);
    assert_eq!(lines[2_001], "end");
}

#[test]
fn a_huge_line_is_cut_and_says_by_how_much() {
    let output = format!("{}\nnext", "x".repeat(10 << 20));
    let lines = lines(output.as_bytes());
    assert_eq!(text(&lines[0]).len(), COLUMNS as usize);
    assert_eq!(lines[0].cut, Some((10 << 20) - COLUMNS));
    assert_eq!((text(&lines[1]).as_str(), lines[1].cut), ("next", None));

    let mut whole = String::new();
    let mut is_cut = false;
    let mut screen = Screen::default().with_long_lines(11 << 20);
    screen.feed(output.as_bytes(), &mut ());
    screen.rest(&mut |_, line: Line<'_>| {
        line.push_text(&mut whole);
        is_cut |= line.is_cut();
    });
    assert_eq!((whole.len(), is_cut), ((10 << 20) + 4, false));

    let mut screen = Screen::default().with_long_lines(1 << 20);
    screen.feed(output.as_bytes(), &mut ());
    screen.rest(&mut |_, line: Line<'_>| is_cut |= line.is_cut());
    assert!(is_cut, "what is not kept is told");
}

#[test]
fn no_sequence_takes_more_memory_than_a_screen() {
    for (name, output) in [
        (
            "a title without its end",
            format!("\u{1b}]0;{}", "t".repeat(4 << 20)),
        ),
        (
            "an image without its end",
            format!("\u{1b}Pq{}", "~".repeat(4 << 20)),
        ),
        (
            "numbers without end",
            format!("\u{1b}[{}m", "1;".repeat(1 << 20)),
        ),
        (
            "a large step",
            "\u{1b}[65535C\u{1b}[65535Gx\t\t\u{1b}[65535B\u{1b}[65535A".repeat(1_000),
        ),
        (
            "a large number",
            format!("\u{1b}[{}Cx", "9".repeat(1 << 20)),
        ),
    ] {
        let lines = lines(output.as_bytes());
        assert!(lines.len() <= 1, "{name}");
        for line in lines {
            assert!(text(&line).len() <= COLUMNS as usize, "{name}");
        }
    }
}

/// What programs print, and what they should not.
fn pieces() -> impl Strategy<Value = Vec<u8>> {
    let known = prop::sample::select(vec![
        "\n",
        "\r",
        "\r\n",
        "\u{8}",
        "\t",
        " ",
        "a",
        "word ",
        "编",
        "é",
        "e\u{301}",
        "👩‍💻",
        "\u{1b}[31m",
        "\u{1b}[0m",
        "\u{1b}[1;4;38;5;99m",
        "\u{1b}[48:2::1:2:3m",
        "\u{1b}[K",
        "\u{1b}[1K",
        "\u{1b}[2K",
        "\u{1b}[J",
        "\u{1b}[2J",
        "\u{1b}[A",
        "\u{1b}[3A",
        "\u{1b}[B",
        "\u{1b}[2F",
        "\u{1b}[E",
        "\u{1b}[5C",
        "\u{1b}[3D",
        "\u{1b}[7G",
        "\u{1b}[H",
        "\u{1b}]8;;http://a\u{1b}\\",
        "\u{1b}]0;t\u{7}",
        "\u{1b}P1$q\u{1b}\\",
        "\u{1b}[?25l",
        "\u{1b}",
        "\u{1b}[",
        "\u{1b}]",
        "\u{1b}(B",
        "\u{9b}",
        "\u{18}",
        "\u{0}",
    ]);
    let piece = prop_oneof![
        8 => known.prop_map(|text| text.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..8),
        1 => (1..12u8).prop_map(|rows| format!("\u{1b}[{rows}A").into_bytes()),
        1 => Just(vec![b'x'; 200]),
    ];
    prop::collection::vec(piece, 0..120).prop_map(|pieces| pieces.concat())
}

/// Bytes that are read from a file, by an index.
fn by_index(index: &Index, output: &[u8], lines: Range<u64>) -> Vec<OutputLine> {
    let (mut screen, bytes) = index.span(lines.clone());
    let mut found = Vec::new();
    let mut take = |number: u64, line: Line<'_>| {
        if lines.contains(&number) {
            found.push(line.to_output());
        }
    };
    screen.feed(&output[bytes.start as usize..bytes.end as usize], &mut take);
    if bytes.end == output.len() as u64 {
        screen.end(&mut take);
    }
    screen.rest(&mut take);
    found
}

fn indexed(output: &[u8], pieces: usize) -> Index {
    let mut index = Index::with_steps(64, 512);
    for piece in output.chunks(pieces) {
        index.feed(piece);
    }
    index
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn every_split_gives_the_same_lines(output in pieces(), size in 1..40usize) {
        let whole = lines(&output);
        prop_assert_eq!(&lines_of(output.chunks(size)), &whole);
        prop_assert_eq!(&lines_of(output.chunks(1)), &whole);
        for line in &whole {
            prop_assert!(line.runs.iter().all(|run| !run.text.is_empty()));
            let alike = line.runs.windows(2).any(|runs| {
                OutputRun { text: String::new(), ..runs[0].clone() } == OutputRun { text: String::new(), ..runs[1].clone() }
            });
            prop_assert!(!alike, "runs of one look are one: {:?}", line);
            let odd = text(line).chars().any(|c| c.is_control() && c != '\t');
            prop_assert!(!odd, "{:?}", line);
        }
    }

    #[test]
    fn lines_by_an_index_are_the_lines_of_the_whole(
        parts in prop::collection::vec(pieces(), 1..12),
        size in 1..300usize,
        from in 0..200u64,
        count in 1..60u64,
    ) {
        let output = parts.concat();
        let whole = lines(&output);
        let index = indexed(&output, size);
        prop_assert_eq!(index.read(), output.len() as u64);
        for from in [0, from, whole.len() as u64 / 2, (whole.len() as u64).saturating_sub(count)] {
            let wanted = whole.iter().skip(from as usize).take(count as usize);
            let found = by_index(&index, &output, from..from + count);
            prop_assert_eq!(found, wanted.cloned().collect::<Vec<_>>(), "from {}", from);
        }
    }
}

#[test]
fn a_few_lines_of_a_long_output_are_a_few_bytes_of_it() {
    let output: String = (0..400_000)
        .map(|n| format!("\u{1b}[32mline\u{1b}[0m {n} of a long output\n"))
        .collect();
    let mut index = Index::default();
    index.feed(output.as_bytes());
    assert_eq!(index.total(), 400_000);
    for from in [0, 1_234, 200_000, 399_900] {
        let (_, bytes) = index.span(from..from + 100);
        assert!(bytes.end - bytes.start <= 200_000, "{bytes:?}");
        let found = by_index(&index, output.as_bytes(), from..from + 100);
        assert_eq!(found.len(), 100);
        assert_eq!(text(&found[0]), format!("line {from} of a long output"));
    }
}

#[test]
fn a_bar_that_draws_itself_for_ever_is_not_read_from_its_beginning_each_time() {
    let mut output = String::from("first\n\n\n");
    for step in 0..400_000 {
        output.push_str(&format!("\u{1b}[2A\u{1b}[Ka {step}\n\u{1b}[Kb\n"));
    }
    output.push_str("last\n");
    let mut index = Index::default();
    index.feed(output.as_bytes());
    let (_, bytes) = index.span(0..10);
    assert!(
        bytes.end - bytes.start < 8 << 20,
        "{bytes:?} of {}",
        output.len()
    );
    let found: Vec<_> = by_index(&index, output.as_bytes(), 0..10)
        .iter()
        .map(text)
        .collect();
    assert_eq!(found, ["first", "a 399999", "b", "last"]);
}
