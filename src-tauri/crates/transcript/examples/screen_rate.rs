//! How fast outputs become lines, against the same bytes when they are only looked at for line ends and for UTF-8.
//!
//! `cargo run --release -p kandev-transcript --example screen_rate`

use std::hint::black_box;
use std::time::{Duration, Instant};

use kandev_transcript::screen::{Index, Screen};

const BYTES: usize = 64 << 20;
/// The best of so many counts.
const RUNS: usize = 5;

fn main() {
    let plain = "test result::a_name_of_a_test_that_is_not_short ... ok in 0.01 s\n".to_owned();
    let coloured =
        "\u{1b}[32m   Compiling\u{1b}[0m some-crate v1.2.3 (/home/me/project/some-crate)\n"
            .to_owned();
    let bar = "\r\u{1b}[K    Building [=====>       ] 31/120: one, two, three".to_owned();
    let wide = "编译完成：一个不太长的测试名称，用时零点零一秒\n".to_owned();
    let drawn = "\u{1b}[2A\u{1b}[2K\ra: Pulling 12 MB\n\u{1b}[2K\rb: Pulling 34 MB\n".to_owned();
    for (name, line) in [
        ("plain", plain),
        ("coloured", coloured),
        ("a bar", bar),
        ("wide", wide),
        ("drawn over", drawn),
    ] {
        let output = line.repeat(BYTES / line.len());
        let bytes = output.as_bytes();
        let look = best(|| {
            let ends = memchr::memchr_iter(b'\n', bytes).count();
            black_box((ends, str::from_utf8(bytes).is_ok()));
        });
        let lines = best(|| {
            let mut screen = Screen::default();
            for piece in bytes.chunks(64 * 1024) {
                screen.feed(piece, &mut ());
            }
            black_box(screen.total());
        });
        let mut index = Index::default();
        let indexed = best(|| {
            index = Index::default();
            for piece in bytes.chunks(64 * 1024) {
                index.feed(piece);
            }
        });
        let middle = index.total() / 2;
        let part = best(|| {
            let (mut screen, range) = index.span(middle..middle + 200);
            screen.feed(&bytes[range.start as usize..range.end as usize], &mut ());
            black_box(screen.total());
        });
        let rate = |time: Duration| bytes.len() as f64 / 1e6 / time.as_secs_f64();
        println!(
            "{name:>10}: {:6.0} MB/s as lines, {:6.0} MB/s with an index, {:6.0} MB/s only looked at ({:.1} times as long); \
             200 lines from the middle in {:.3} ms",
            rate(lines),
            rate(indexed),
            rate(look),
            lines.as_secs_f64() / look.as_secs_f64(),
            part.as_secs_f64() * 1e3,
        );
    }
}

fn best(mut work: impl FnMut()) -> Duration {
    let runs = (0..RUNS).map(|_| {
        let began = Instant::now();
        work();
        began.elapsed()
    });
    runs.min().unwrap_or_default()
}
