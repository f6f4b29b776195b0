//! Requests that a page sends by itself: polling has a beat, and what follows it is no step's doing.
//!
//! A request counts as a step's unless it falls on the beat of requests that nobody's act can have caused. Where that is
//! not clear it stays the step's: a step that is taken to send is only waited for; one that is not could be sent twice.

use std::time::Duration;

/// A request this long after the last act was probably not caused by it.
const LOOSE: Duration = Duration::from_secs(1);

/// The shortest and the longest beat.
const BEATS: (f64, f64) = (0.5, 120.0);

/// How far a request may stand from its beat: a part of it, and at least so many seconds.
const TOLERANCE: (f64, f64) = (0.15, 0.1);

/// Distances that must agree before they are a beat.
const AGREEING: usize = 2;

/// Beats that may be missing in between: a hidden tab, a slow answer.
const MISSING: f64 = 3.0;

/// When a request of one pattern was seen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seen {
    /// Since the beginning of the recording.
    pub at: Duration,
    /// Since the last act; `None` where nobody had acted yet.
    pub lag: Option<Duration>,
}

impl Seen {
    fn is_loose(self) -> bool {
        self.lag.is_none_or(|lag| lag >= LOOSE)
    }
}

/// For each request of one pattern, in order: does it fall on the page's own beat?
pub fn on_beat(seen: &[Seen]) -> Vec<bool> {
    let mut marks = vec![false; seen.len()];
    let Some((beat, seeds)) = find_beat(seen) else { return marks };
    for seed in seeds {
        marks[seed] = true;
        walk(seen, seed, beat, &mut marks, true);
        walk(seen, seed, beat, &mut marks, false);
    }
    marks
}

/// The beat in seconds, from neighbours that no act can have caused, and those neighbours.
fn find_beat(seen: &[Seen]) -> Option<(f64, Vec<usize>)> {
    let pairs: Vec<(usize, f64)> = (1..seen.len())
        .filter(|at| seen[*at].is_loose() && seen[at - 1].is_loose())
        .map(|at| (at, seen[at].at.as_secs_f64() - seen[at - 1].at.as_secs_f64()))
        .filter(|(_, distance)| (BEATS.0..=BEATS.1).contains(distance))
        .collect();
    let mut distances: Vec<f64> = pairs.iter().map(|(_, distance)| *distance).collect();
    distances.sort_by(f64::total_cmp);
    let beat = *distances.get(distances.len() / 2)?;
    let agreeing: Vec<usize> = pairs
        .iter()
        .filter(|(_, distance)| (distance - beat).abs() <= tolerance(beat))
        .flat_map(|(at, _)| [at - 1, *at])
        .collect();
    (agreeing.len() >= 2 * AGREEING).then_some((beat, agreeing))
}

fn tolerance(beat: f64) -> f64 {
    (beat * TOLERANCE.0).max(TOLERANCE.1)
}

/// Marks what follows the seed (or goes before it) beat by beat; of several near one beat the nearest.
fn walk(seen: &[Seen], seed: usize, beat: f64, marks: &mut [bool], forward: bool) {
    let order: Vec<usize> =
        if forward { (seed + 1..seen.len()).collect() } else { (0..seed).rev().collect() };
    let distance = |from: usize, to: usize| (seen[to].at.as_secs_f64() - seen[from].at.as_secs_f64()).abs();
    let mut from = seed;
    let mut place = 0;
    while place < order.len() {
        let beats = (distance(from, order[place]) / beat).round();
        let off = |at: usize| (distance(from, at) - beats * beat).abs();
        if (1.0..=MISSING).contains(&beats) && off(order[place]) <= tolerance(beat) {
            while order.get(place + 1).is_some_and(|next| off(*next) < off(order[place])) {
                place += 1;
            }
            from = order[place];
            marks[from] = true;
        }
        place += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Requests at these seconds, with acts at those.
    fn seen(requests: &[f64], acts: &[f64]) -> Vec<Seen> {
        let lag = |at: f64| acts.iter().filter(|act| **act <= at).fold(None, |_, act| Some(at - act));
        let one =
            |at: &f64| Seen { at: Duration::from_secs_f64(*at), lag: lag(*at).map(Duration::from_secs_f64) };
        requests.iter().map(one).collect()
    }

    #[test]
    fn polling_is_told_from_the_one_request_between_its_beats() {
        let marks = on_beat(&seen(&[0.0, 5.0, 10.05, 12.1, 15.0, 20.1], &[12.0, 14.9]));
        assert_eq!(marks, [true, true, true, false, true, true]);
    }

    #[test]
    fn two_near_one_beat_are_not_both_the_pages() {
        let marks = on_beat(&seen(&[0.0, 2.0, 4.0, 6.0, 6.2, 8.0], &[5.95]));
        assert_eq!(marks.iter().filter(|mark| !**mark).count(), 1, "{marks:?}");
    }

    #[test]
    fn a_person_who_presses_steadily_is_no_clock() {
        let acts = [0.0, 1.0, 2.0, 3.0, 4.0];
        let requests: Vec<f64> = acts.iter().map(|act| act + 0.03).collect();
        assert_eq!(on_beat(&seen(&requests, &acts)), [false; 5]);
    }

    #[test]
    fn two_requests_make_no_beat() {
        assert_eq!(on_beat(&seen(&[0.0, 5.0], &[])), [false, false]);
        assert_eq!(on_beat(&[]), Vec::<bool>::new());
    }

    proptest::proptest! {
        #[test]
        fn what_follows_an_act_at_once_off_the_beat_is_never_lost(phase in 0.25_f64..0.75, beat in 1.0_f64..10.0) {
            // Polling for twelve beats, and one act in the middle between two of them.
            let act = beat * (6.0 + phase);
            let mut requests: Vec<f64> = (0..12).map(|count| f64::from(count) * beat).collect();
            requests.push(act + 0.02);
            requests.sort_by(f64::total_cmp);
            let marks = on_beat(&seen(&requests, &[act]));
            proptest::prop_assert_eq!(marks.iter().filter(|mark| !**mark).count(), 1);
            proptest::prop_assert!(!marks[requests.iter().position(|at| *at > act).unwrap()]);
        }
    }
}
