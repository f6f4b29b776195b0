//! The longest common subsequence of ancestor paths, in the manner of Healenium: the nearest path wins if it is near enough.

use cairn_core::element::Element;

use crate::drift::task::{Answer, Resolver, Task};

/// Scores paths and the element's own attributes; answers with the best at 0.5 or more.
pub struct Ancestors;

const LEAST: f64 = 0.5;

impl Resolver for Ancestors {
    fn name(&self) -> &'static str {
        "ancestor path LCS"
    }

    fn choose(&self, task: &Task) -> Answer {
        let old = &task.old.element;
        let old_path = steps(&old.path);
        let mut best: Option<(usize, f64)> = None;
        for (place, element) in task.page.index.elements().iter().enumerate() {
            let path = steps(&element.path);
            let way = common(&old_path, &path) as f64 / old_path.len().max(path.len()).max(1) as f64;
            let score = 0.5 * way + 0.5 * own(old, element);
            if best.is_none_or(|(_, top)| score > top) {
                best = Some((place, score));
            }
        }
        Answer::plain(best.filter(|(_, score)| *score >= LEAST).map(|(place, _)| place))
    }
}

fn steps(path: &str) -> Vec<&str> {
    path.split('/').filter(|step| !step.is_empty()).collect()
}

fn common(a: &[&str], b: &[&str]) -> usize {
    let mut row = vec![0; b.len() + 1];
    for left in a {
        let mut corner = 0;
        for (j, right) in b.iter().enumerate() {
            let above = row[j + 1];
            row[j + 1] = if left == right { corner + 1 } else { above.max(row[j]) };
            corner = above;
        }
    }
    row[b.len()]
}

/// Tag, id, classes and text of the node itself, each a quarter.
fn own(a: &Element, b: &Element) -> f64 {
    let same = |name: &str| f64::from(u8::from(a.attribute(name) == b.attribute(name)));
    let text = f64::from(u8::from(a.name == b.name));
    let tag = f64::from(u8::from(a.tag == b.tag));
    (tag + same("id") + classes(a, b) + text) / 4.0
}

fn classes(a: &Element, b: &Element) -> f64 {
    let list = |element: &Element| -> Vec<String> {
        element.attribute("class").unwrap_or_default().split_whitespace().map(str::to_owned).collect()
    };
    let (a, b) = (list(a), list(b));
    let longer = a.len().max(b.len());
    if longer == 0 { 1.0 } else { a.iter().filter(|class| b.contains(class)).count() as f64 / longer as f64 }
}
