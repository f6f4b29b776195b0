//! Which of the named or stored tests a command means.

use regex::Regex;

use crate::exit::{ErrorKind, Failure};

/// How to choose among them.
#[derive(clap::Args, Clone, Debug, Default)]
pub(super) struct Selection {
    /// Only what this regular expression finds itself in; without names, among all stored tests
    #[arg(long, value_name = "PATTERN")]
    grep: Option<String>,
    /// Only those whose last run did not succeed; without names, among all stored tests
    #[arg(long)]
    last_failed: bool,
    /// Only the I-th of N parts of equal size, e.g. 2/4
    #[arg(long, value_name = "I/N")]
    shard: Option<String>,
}

impl Selection {
    /// Without names: are all stored tests meant?
    pub(super) fn chooses(&self) -> bool {
        self.grep.is_some() || self.last_failed || self.shard.is_some()
    }

    /// Those that are meant, in their order. `failed` says of each whether its last run did not succeed.
    ///
    /// # Errors
    /// `Usage` for a pattern or a shard that is none, `NothingSelected` where nothing is left.
    pub(super) fn choose(
        &self,
        names: Vec<String>,
        failed: impl Fn(&str) -> bool,
    ) -> Result<Vec<String>, Failure> {
        let pattern = self.grep.as_deref().map(Regex::new).transpose().map_err(|error| {
            Failure::new(ErrorKind::Usage, format!("this is no regular expression: {error}"), "mend it")
                .at("--grep")
        })?;
        let (part, parts) = self.part()?;
        let chosen: Vec<String> = names
            .into_iter()
            .filter(|name| pattern.as_ref().is_none_or(|pattern| pattern.is_match(name)))
            .filter(|name| !self.last_failed || failed(name))
            .enumerate()
            .filter(|(at, _)| at % parts == part - 1)
            .map(|(_, name)| name)
            .collect();
        if chosen.is_empty() {
            let next = "loosen --grep, --last-failed or --shard; `cairn scripts list` shows what is stored";
            return Err(Failure::new(ErrorKind::NothingSelected, "nothing is selected", next));
        }
        Ok(chosen)
    }

    fn part(&self) -> Result<(usize, usize), Failure> {
        let Some(text) = &self.shard else { return Ok((1, 1)) };
        let numbers =
            text.split_once('/').and_then(|(part, parts)| part.parse().ok().zip(parts.parse().ok()));
        match numbers {
            Some((part, parts)) if (1..=parts).contains(&part) => Ok((part, parts)),
            _ => {
                let message = format!("`{text}` is no shard");
                Err(Failure::new(ErrorKind::Usage, message, "write I/N with I from 1 to N, e.g. 2/4")
                    .at("--shard"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Vec<String> {
        ["a1", "a2", "b1", "b2", "b3"].map(str::to_owned).to_vec()
    }

    #[test]
    fn shards_part_everything_and_share_nothing() {
        let mut all = Vec::new();
        for part in 1..=3 {
            let selection = Selection { shard: Some(format!("{part}/3")), ..Selection::default() };
            all.extend(selection.choose(names(), |_| false).unwrap());
        }
        all.sort();
        assert_eq!(all, names());
    }

    #[test]
    fn patterns_and_last_results_choose() {
        let selection = Selection { grep: Some("^b".into()), last_failed: true, shard: None };
        assert_eq!(selection.choose(names(), |name| name.ends_with('2')).unwrap(), ["b2"]);
        let nothing = selection.choose(names(), |_| false).unwrap_err();
        assert_eq!(nothing.kind, ErrorKind::NothingSelected);
        for (grep, shard) in [(Some("("), None), (None, Some("0/3")), (None, Some("4/3")), (None, Some("x"))]
        {
            let selection = Selection {
                grep: grep.map(str::to_owned),
                shard: shard.map(str::to_owned),
                last_failed: false,
            };
            assert_eq!(selection.choose(names(), |_| true).unwrap_err().kind, ErrorKind::Usage);
        }
    }
}
