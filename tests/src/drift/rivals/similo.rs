//! Similo: fourteen weighted attributes, the published weights (Nass et al., 2023), the best candidate wins.

use cairn_core::element::Element;

use crate::drift::task::{Answer, Resolver, Rival, Task};

/// Similo, answering always, or only where the best leads by a margin.
pub struct Similo {
    /// The lead that it wants; 0 answers always.
    pub margin: f64,
}

impl Resolver for Similo {
    fn name(&self) -> &'static str {
        if self.margin > 0.0 { "Similo, margin 0.5" } else { "Similo" }
    }

    fn choose(&self, task: &Task) -> Answer {
        let mut best: Option<(usize, f64)> = None;
        let mut second = 0.0_f64;
        for (place, candidate) in task.page.rivals.iter().enumerate() {
            let score = similarity(&task.old, candidate);
            match best {
                Some((_, top)) if score <= top => second = second.max(score),
                Some((_, top)) => {
                    second = top;
                    best = Some((place, score));
                }
                None => best = Some((place, score)),
            }
        }
        Answer::plain(best.filter(|(_, top)| top - second >= self.margin).map(|(place, _)| place))
    }
}

fn similarity(old: &Rival, new: &Rival) -> f64 {
    let (a, b) = (&old.element, &new.element);
    1.5 * equal(&a.tag, &b.tag)
        + 1.5 * equal(attribute(a, "name"), attribute(b, "name"))
        + 1.5 * equal(attribute(a, "id"), attribute(b, "id"))
        + 1.5 * strings(&a.name, &b.name)
        + 1.5 * neighbours(a.beside.as_deref().unwrap_or_default(), b.beside.as_deref().unwrap_or_default())
        + 0.5 * strings(attribute(a, "class"), attribute(b, "class"))
        + 0.5 * strings(attribute(a, "href"), attribute(b, "href"))
        + 0.5 * strings(attribute(a, "alt"), attribute(b, "alt"))
        + 0.5 * strings(&a.path, &b.path)
        + 0.5 * strings(&old.id_path, &new.id_path)
        + 0.5 * f64::from(u8::from(old.is_button == new.is_button))
        + 0.5 * distance(a, b)
        + 0.5 * ratio(area(a), area(b))
        + 0.5 * ratio(shape(a), shape(b))
}

fn attribute<'e>(element: &'e Element, name: &str) -> &'e str {
    element.attribute(name).unwrap_or_default()
}

fn equal(a: &str, b: &str) -> f64 {
    f64::from(u8::from(!a.is_empty() && a.eq_ignore_ascii_case(b)))
}

/// One minus the edit distance over the longer length; 0 where either is empty.
fn strings(a: &str, b: &str) -> f64 {
    if a.is_empty() || b.is_empty() {
        return 0.0;
    }
    let (a, b): (Vec<char>, Vec<char>) =
        (a.to_lowercase().chars().collect(), b.to_lowercase().chars().collect());
    let longer = a.len().max(b.len());
    (longer - edits(&a, &b)) as f64 / longer as f64
}

fn edits(a: &[char], b: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, left) in a.iter().enumerate() {
        let mut corner = row[0];
        row[0] = i + 1;
        for (j, right) in b.iter().enumerate() {
            let swap = corner + usize::from(left != right);
            corner = row[j + 1];
            row[j + 1] = swap.min(row[j] + 1).min(corner + 1);
        }
    }
    row[b.len()]
}

/// Share of the common words in the longer text.
fn neighbours(a: &str, b: &str) -> f64 {
    let (a, b) = (a.to_lowercase(), b.to_lowercase());
    let (a, b): (Vec<&str>, Vec<&str>) = (a.split_whitespace().collect(), b.split_whitespace().collect());
    let longer = a.len().max(b.len());
    if longer == 0 {
        0.0
    } else {
        a.iter().filter(|word| b.contains(word)).count().min(longer) as f64 / longer as f64
    }
}

fn distance(a: &Element, b: &Element) -> f64 {
    let apart = (a.bounds.x - b.bounds.x).hypot(a.bounds.y - b.bounds.y);
    (100.0 - apart).max(0.0) / 100.0
}

fn area(element: &Element) -> f64 {
    element.bounds.width * element.bounds.height
}

fn shape(element: &Element) -> f64 {
    if element.bounds.height > 0.0 { element.bounds.width / element.bounds.height } else { 0.0 }
}

fn ratio(a: f64, b: f64) -> f64 {
    if a.max(b) > 0.0 { a.min(b) / a.max(b) } else { 0.0 }
}
