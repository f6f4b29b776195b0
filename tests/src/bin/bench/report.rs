//! The numbers, and whether they clear their bars.

use std::fmt::Write as _;
use std::io;
use std::path::PathBuf;

use cairn_tests::pages;
use cairn_tests::say::say;

/// One measured thing.
pub struct Line {
    /// What was measured.
    pub what: String,
    /// Ours, with its unit.
    pub ours: String,
    /// The rival's, with its unit; empty where there is none.
    pub rival: String,
    /// The ratio or number that is held against the bar.
    pub ratio: String,
    /// The bar, in words.
    pub bar: String,
    /// It clears the bar.
    pub holds: bool,
}

/// All lines.
pub struct Report {
    browser: String,
    lines: Vec<Line>,
}

impl Report {
    /// An empty report.
    pub fn new(browser: &str) -> Self {
        Self { browser: browser.to_owned(), lines: Vec::new() }
    }

    /// Adds a comparison of two series of milliseconds: ours may take at most `1/bar` of the rival's.
    pub fn compare(&mut self, what: &str, ours: &[f64], rival: &[f64], bar: f64) {
        let (mine, theirs) = (median(ours), median(rival));
        let times = theirs / mine;
        self.lines.push(Line {
            what: what.to_owned(),
            ours: format!("{mine:.1} ms ({})", spread(ours)),
            rival: format!("{theirs:.1} ms ({})", spread(rival)),
            ratio: format!("1/{times:.1}"),
            bar: if bar < 1.0 {
                format!("at most {:.1} times", 1.0 / bar)
            } else {
                format!("at most 1/{bar:.0}")
            },
            holds: times >= bar,
        });
    }

    /// Adds a size that may be a part of the rival's at most.
    pub fn share(&mut self, what: &str, ours: usize, rival: usize, bar: f64) {
        let share = ours as f64 / rival as f64;
        self.lines.push(Line {
            what: what.to_owned(),
            ours: format!("{ours} bytes"),
            rival: format!("{rival} bytes"),
            ratio: format!("{:.0} %", share * 100.0),
            bar: format!("at most {:.0} %", bar * 100.0),
            holds: share <= bar,
        });
    }

    /// Adds milliseconds, or KB, that may be a part of something else at most.
    pub fn part(&mut self, what: &str, ours: f64, of: f64, bar: f64) {
        let part = ours / of;
        self.lines.push(Line {
            what: what.to_owned(),
            ours: format!("{ours:.1}"),
            rival: format!("{of:.1}"),
            ratio: format!("{:.1} %", part * 100.0),
            bar: format!("at most {:.0} %", bar * 100.0),
            holds: part <= bar,
        });
    }

    /// Adds a number that may not exceed its bar.
    pub fn at_most(&mut self, what: &str, value: f64, bar: f64, unit: &str) {
        self.bounded(what, format!("{value:.0} {unit}"), value, bar, unit);
    }

    /// Adds a series of milliseconds whose median may not exceed its bar.
    pub fn at_most_ms(&mut self, what: &str, series: &[f64], bar: f64) {
        let value = median(series);
        self.bounded(what, format!("{value:.2} ms ({})", spread(series)), value, bar, "ms");
    }

    fn bounded(&mut self, what: &str, ours: String, value: f64, bar: f64, unit: &str) {
        self.lines.push(Line {
            what: what.to_owned(),
            ours,
            rival: String::new(),
            ratio: String::new(),
            bar: format!("at most {bar:.0} {unit}"),
            holds: value <= bar,
        });
    }

    /// True where every bar holds.
    pub fn all_bars_hold(&self) -> bool {
        self.lines.iter().all(|line| line.holds)
    }

    /// The table, ratios first.
    pub fn markdown(&self) -> String {
        let mut text = String::from(
            "| what | ratio | bar | holds | Cairn | playwright-core |\n|---|---|---|---|---|---|\n",
        );
        for Line { what, ours, rival, ratio, bar, holds } in &self.lines {
            let holds = if *holds { "yes" } else { "**no**" };
            // Writing into a string cannot fail.
            let _ = writeln!(text, "| {what} | {ratio} | {bar} | {holds} | {ours} | {rival} |");
        }
        text
    }

    /// Prints the table.
    pub fn print(&self) {
        say(&format!("\nChromium {}; medians (fastest to slowest) of interleaved runs\n", self.browser));
        say(&self.markdown());
    }

    /// With `--write`, puts the table into docs/benchmarks.md between its marks.
    pub fn write_when_asked(&self) -> io::Result<()> {
        if !std::env::args().any(|argument| argument == "--write") {
            return Ok(());
        }
        let path: PathBuf = pages::tests_folder().join("../docs/benchmarks.md");
        let text = std::fs::read_to_string(&path)?;
        let (begin, end) = ("<!-- measured -->\n", "<!-- /measured -->");
        let marks = text.find(begin).zip(text.find(end)).filter(|(from, to)| from < to);
        let (from, to) = marks.ok_or_else(|| io::Error::other("docs/benchmarks.md has lost its marks"))?;
        let table = format!("Chromium {}.\n\n{}", self.browser, self.markdown());
        std::fs::write(&path, format!("{}{table}{}", &text[..from + begin.len()], &text[to..]))
    }
}

/// The middle of a series; NaN of an empty one.
pub fn median(series: &[f64]) -> f64 {
    let mut sorted = series.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => f64::NAN,
        odd if odd % 2 == 1 => sorted[middle],
        _ => f64::midpoint(sorted[middle - 1], sorted[middle]),
    }
}

fn spread(series: &[f64]) -> String {
    let least = series.iter().copied().fold(f64::INFINITY, f64::min);
    let most = series.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    format!("{least:.1} to {most:.1}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::float_cmp, reason = "the middle is one of the numbers, or an exact mean")]
    fn the_middle_is_the_middle() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), 2.5);
        assert!(median(&[]).is_nan());
    }
}
