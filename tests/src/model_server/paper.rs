//! A prompt as the rules read it: the goal, what was done, and the page.

/// One line of the list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// Its number.
    pub index: i64,
    /// Its role.
    pub role: String,
    /// Its name.
    pub name: String,
    /// What stands behind the name: states and place.
    pub rest: String,
}

/// A question, taken apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Paper {
    /// The goal.
    pub goal: String,
    /// The inputs, each with its value where that is no secret.
    pub inputs: Vec<(String, Option<String>)>,
    /// What was done, without its numbers.
    pub done: Vec<String>,
    /// Lines of the page that are no elements.
    pub texts: Vec<String>,
    /// The elements.
    pub lines: Vec<Line>,
    /// The step whose element is looked for.
    pub step: String,
    /// What was recorded of it.
    pub recorded: Vec<String>,
}

impl Paper {
    /// A text of the goal as it reads on the page today.
    pub fn today(&self, text: &str) -> String {
        self.inputs.iter().fold(text.to_owned(), |text, (name, value)| match value {
            Some(value) => text.replace(&format!("%{name}%"), value),
            None => text,
        })
    }

    /// Takes a prompt apart.
    pub fn read(user: &str) -> Self {
        let mut paper = Self::default();
        let (mut in_page, mut in_done, mut in_recorded) = (false, false, false);
        for line in user.lines() {
            if line.starts_with("<page ") {
                (in_page, in_done, in_recorded) = (true, false, false);
            } else if line.starts_with("</page ") {
                in_page = false;
            } else if in_page {
                match element(line) {
                    Some(element) => paper.lines.push(element),
                    None => paper.texts.push(line.to_owned()),
                }
            } else if let Some(goal) = line.strip_prefix("Goal: ") {
                goal.clone_into(&mut paper.goal);
            } else if let Some(step) = line.strip_prefix("Step: ") {
                step.clone_into(&mut paper.step);
            } else if let Some(input) = line.strip_prefix("Input %") {
                paper.inputs.extend(
                    input
                        .split_once("%: ")
                        .map(|(name, shown)| (name.to_owned(), serde_json::from_str::<String>(shown).ok())),
                );
            } else if line.starts_with("Done so far:") {
                in_done = true;
            } else if line.starts_with("Recorded element:") {
                in_recorded = true;
            } else if in_done {
                paper.done.extend(line.split_once(". ").map(|(_, what)| what.to_owned()));
            } else if in_recorded {
                paper.recorded.push(line.to_owned());
            }
        }
        paper
    }
}

/// `[3] button "Save" (disabled) in form:Profile`
fn element(line: &str) -> Option<Line> {
    let (index, rest) = line.strip_prefix('[')?.split_once("] ")?;
    let index = index.parse().ok()?;
    let (role, rest) = rest.split_once(' ').unwrap_or((rest, ""));
    let quoted = rest.strip_prefix('"').map(|rest| {
        // The name ends at the last quote before its states or its place.
        let end = [rest.find("\" ("), rest.find("\" in "), rest.rfind('"')].into_iter().flatten().min();
        rest.split_at(end.unwrap_or(rest.len()))
    });
    let (name, rest) = quoted.unwrap_or(("", rest));
    Some(Line {
        index,
        role: role.to_owned(),
        name: name.to_owned(),
        rest: rest.trim_matches(['"', ' ']).to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prompt_is_taken_apart() {
        let paper = Paper::read(
            "Goal: Save it\nInput %pin%: (secret)\nDone so far:\n1. click button \"A\": now at x\n<page 12>\nTitle (http://a/)\n\
             [0] button \"Save \"all\"\" (disabled) in form:A\n[1] textbox (required)\n</page 12>\n",
        );
        assert_eq!(paper.goal, "Save it");
        assert_eq!(paper.inputs, [("pin".to_owned(), None)]);
        assert_eq!(paper.done, ["click button \"A\": now at x"]);
        assert_eq!(paper.texts, ["Title (http://a/)"]);
        assert_eq!(paper.lines[0].name, "Save \"all\"");
        assert_eq!((paper.lines[1].role.as_str(), paper.lines[1].name.as_str()), ("textbox", ""));
        assert!(paper.lines[1].rest.contains("required"));
    }
}
