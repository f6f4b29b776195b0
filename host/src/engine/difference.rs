//! What one script would change in another, in words for the person who reviews it and as data for programs.

use cairn_core::script::{Condition, Script, Step, Target};
use serde::Serialize;
use serde_json::Value;
use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::lines::step_words;

/// One difference.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Change {
    /// What kind.
    pub kind: ChangeKind,
    /// The step, from 1: in the new script, for a removed one in the old script. Absent where it is no step's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<u32>,
    /// In words.
    pub text: String,
    /// Each key that differs, with its place.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<KeyChange>,
}

/// The kinds of differences.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum ChangeKind {
    /// The new script has a step more.
    Added,
    /// The new script has a step less.
    Removed,
    /// A step is another one.
    Changed,
    /// Something of the script as a whole.
    Script,
}

/// One key that differs.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct KeyChange {
    /// Its place, e.g. `Action.Target.Name`.
    pub key: String,
    /// What it held.
    pub before: Value,
    /// What it holds.
    pub after: Value,
}

/// All differences in the order of the new script.
pub fn differences(before: &Script, after: &Script) -> Vec<Change> {
    let mut changes = whole(before, after);
    changes.extend(steps(&before.steps, &after.steps));
    changes.extend(goal(&before.goal_postconditions, &after.goal_postconditions));
    changes
}

/// What the script says beside its steps and its goal.
fn whole(before: &Script, after: &Script) -> Vec<Change> {
    let strip = |script: &Script| {
        let bare = Script { steps: Vec::new(), goal_postconditions: Vec::new(), ..script.clone() };
        serde_json::to_value(bare).unwrap_or_default()
    };
    let keys = key_changes(&strip(before), &strip(after));
    keys.into_iter()
        .map(|key| Change {
            kind: ChangeKind::Script,
            step: None,
            text: format!("{} was {} and is now {}", key.key, shown(&key.before), shown(&key.after)),
            keys: vec![key],
        })
        .collect()
}

fn steps(before: &[Step], after: &[Step]) -> Vec<Change> {
    let (old, new): (Vec<String>, Vec<String>) =
        (before.iter().map(identity).collect(), after.iter().map(identity).collect());
    let mut changes = Vec::new();
    for operation in capture_diff_slices(Algorithm::Patience, &old, &new) {
        match operation {
            DiffOp::Equal { old_index, new_index, len } => {
                for at in 0..len {
                    changes.extend(changed(&before[old_index + at], &after[new_index + at], new_index + at));
                }
            }
            DiffOp::Delete { old_index, old_len, .. } => {
                changes.extend((old_index..old_index + old_len).map(|at| removed(&before[at], at)));
            }
            DiffOp::Insert { new_index, new_len, .. } => {
                changes.extend((new_index..new_index + new_len).map(|at| added(&after[at], at)));
            }
            DiffOp::Replace { old_index, old_len, new_index, new_len } => {
                let (old, new) =
                    (&before[old_index..old_index + old_len], &after[new_index..new_index + new_len]);
                changes.extend(replaced(old, old_index, new, new_index));
            }
        }
    }
    changes
}

/// A step is the same one as long as it does the same to what is called the same.
fn identity(step: &Step) -> String {
    let target = step.action.target.as_ref();
    let (role, name) = target.map_or(("", ""), |target| (target.role.as_str(), target.name.as_str()));
    format!("{}\u{1}{role}\u{1}{name}", step.action.method.as_str())
}

/// Steps that stand in each other's place: the same method means the same step on another target.
fn replaced(old: &[Step], old_index: usize, new: &[Step], new_index: usize) -> Vec<Change> {
    let mut changes = Vec::new();
    let mut rest = old.iter().enumerate().peekable();
    for (at, step) in new.iter().enumerate() {
        let left = new.len() - at;
        // As many old ones as are too many go first, where they do something else.
        while let Some((place, other)) =
            rest.next_if(|(place, other)| old.len() - place > left && !same_kind(other, step))
        {
            changes.push(removed(other, old_index + place));
        }
        match rest.next_if(|(_, other)| same_kind(other, step)) {
            Some((_, other)) => changes.extend(changed(other, step, new_index + at)),
            None => changes.push(added(step, new_index + at)),
        }
    }
    changes.extend(rest.map(|(place, other)| removed(other, old_index + place)));
    changes
}

fn same_kind(one: &Step, other: &Step) -> bool {
    one.action.method == other.action.method && one.action.target.is_some() == other.action.target.is_some()
}

fn added(step: &Step, at: usize) -> Change {
    let number = at as u32 + 1;
    let text = format!("step {number} is new: {}", step_words(step));
    Change { kind: ChangeKind::Added, step: Some(number), text, keys: Vec::new() }
}

fn removed(step: &Step, at: usize) -> Change {
    let number = at as u32 + 1;
    let text = format!("the old step {number} is gone: {}", step_words(step));
    Change { kind: ChangeKind::Removed, step: Some(number), text, keys: Vec::new() }
}

fn changed(before: &Step, after: &Step, at: usize) -> Option<Change> {
    let as_json = |step: &Step| serde_json::to_value(step).unwrap_or_default();
    let keys = key_changes(&as_json(before), &as_json(after));
    if keys.is_empty() {
        return None;
    }
    let number = at as u32 + 1;
    let mut said = Vec::new();
    if let (Some(old), Some(new)) = (&before.action.target, &after.action.target) {
        said.extend(target_words(old, new));
    }
    if before.action.value != after.action.value {
        let value = |step: &Step| step.action.value.clone().unwrap_or_default();
        said.push(format!("its value is now {} (was {})", quoted(&value(after)), quoted(&value(before))));
    }
    if before.precondition != after.precondition {
        said.push("what must hold before it changed".into());
    }
    if before.postcondition != after.postcondition {
        said.push("what must hold after it changed".into());
    }
    if before.sends != after.sends {
        let sends = after.sends == Some(true);
        said.push(if sends { "it is now known to send" } else { "it is no longer taken to send" }.into());
    }
    if before.risk != after.risk {
        said.push(format!("its risk is now {}", after.risk.as_deref().unwrap_or("unsaid")));
    }
    if said.is_empty() {
        let names: Vec<&str> = keys.iter().map(|key| key.key.as_str()).collect();
        said.push(format!("only what is evidence changed ({})", names.join(", ")));
    }
    let text = format!("step {number}: {}", said.join("; "));
    Some(Change { kind: ChangeKind::Changed, step: Some(number), text, keys })
}

fn target_words(old: &Target, new: &Target) -> Vec<String> {
    let mut said = Vec::new();
    let place = new.scope.as_ref().map(|scope| format!(", in {scope}")).unwrap_or_default();
    if old.role != new.role {
        said.push(format!("the {} {} is now a {}", old.role, quoted(&old.name), new.role));
    }
    if old.name != new.name {
        let (new_name, old_name) = (quoted(&new.name), quoted(&old.name));
        said.push(format!("the {} is now called {new_name} (was {old_name}){place}", new.role));
    } else if old.scope != new.scope {
        let scope = |scope: &Option<String>| scope.clone().unwrap_or_else(|| "no region".into());
        let what = format!("the {} {}", new.role, quoted(&new.name));
        said.push(format!("{what} is now in {} (was in {})", scope(&new.scope), scope(&old.scope)));
    }
    let selectors = |target: &Target| target.all_selectors().map(str::to_owned).collect::<Vec<_>>();
    if selectors(old) != selectors(new) {
        let first = new.all_selectors().next().unwrap_or("none");
        said.push(format!("it is found by other selectors, first by {first}"));
    }
    if old.twins != new.twins || old.ordinal != new.ordinal {
        let twins = |target: &Target| {
            let place = target.ordinal.map(|ordinal| format!("number {ordinal} of ")).unwrap_or_default();
            format!("{place}{}", target.twins.unwrap_or(1))
        };
        said.push(format!("it is {} alike (was {})", twins(new), twins(old)));
    }
    said
}

fn goal(before: &[Condition], after: &[Condition]) -> Vec<Change> {
    let of = |text: String| Change { kind: ChangeKind::Script, step: None, text, keys: Vec::new() };
    let gone = before.iter().filter(|one| !after.contains(one));
    let new = after.iter().filter(|one| !before.contains(one));
    gone.map(|one| of(format!("the goal no longer checks {}", condition_words(one))))
        .chain(new.map(|one| of(format!("the goal now checks {}", condition_words(one)))))
        .collect()
}

/// `heading "Thank you", shows "Order 17"`
pub(super) fn condition_words(condition: &Condition) -> String {
    let mut said = Vec::new();
    if let Some(pattern) = &condition.url_pattern {
        said.push(format!("the URL {pattern}"));
    }
    if condition.role.is_some() || condition.name.is_some() {
        let role = condition.role.as_deref().unwrap_or("element");
        let name = condition.name.as_ref().map(|name| format!(" {}", quoted(name))).unwrap_or_default();
        said.push(format!("{role}{name}"));
    }
    let word = |word: &str, value: Option<String>| value.map(|value| format!("{word} {value}"));
    said.extend(word("in", condition.scope.clone()));
    said.extend(word("shows", condition.text.as_deref().map(quoted)));
    said.extend(word("has the value", condition.value.as_deref().map(quoted)));
    said.extend(word("checked", condition.checked.map(|checked| checked.to_string())));
    said.extend(word("enabled", condition.enabled.map(|enabled| enabled.to_string())));
    said.extend(word("count", condition.count.map(|count| count.to_string())));
    said.extend((condition.gone == Some(true)).then(|| "gone".to_owned()));
    said.join(", ")
}

fn quoted(text: &str) -> String {
    format!("\u{201c}{}\u{201d}", super::lines::clean(text))
}

fn shown(value: &Value) -> String {
    match value {
        Value::Null => "nothing".into(),
        Value::String(text) => quoted(text),
        other => super::lines::clean(&other.to_string()),
    }
}

/// Each leaf that differs, by its path. Lists are one leaf: their order is part of what they say.
fn key_changes(before: &Value, after: &Value) -> Vec<KeyChange> {
    let mut found = Vec::new();
    walk("", before, after, &mut found);
    found
}

fn walk(path: &str, before: &Value, after: &Value, found: &mut Vec<KeyChange>) {
    if before == after {
        return;
    }
    let (Value::Object(old), Value::Object(new)) = (before, after) else {
        found.push(KeyChange { key: path.to_owned(), before: before.clone(), after: after.clone() });
        return;
    };
    let mut keys: Vec<&String> = old.keys().collect();
    keys.extend(new.keys().filter(|key| !old.contains_key(*key)));
    for key in keys {
        let below = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        let absent = Value::Null;
        walk(&below, old.get(key).unwrap_or(&absent), new.get(key).unwrap_or(&absent), found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_core::script::{Action, Method};

    fn click(name: &str) -> Step {
        let target = Target {
            role: "button".into(),
            name: name.into(),
            selector: format!("id={}", name.to_lowercase()),
            ..Target::default()
        };
        Step { action: Action { target: Some(target), ..Action::default() }, ..Step::default() }
    }

    fn fill(name: &str, value: &str) -> Step {
        let mut step = click(name);
        step.action.method = Method::Fill;
        step.action.value = Some(value.into());
        step
    }

    fn script(steps: Vec<Step>) -> Script {
        Script { steps, ..Script::default() }
    }

    fn texts(before: Vec<Step>, after: Vec<Step>) -> Vec<String> {
        differences(&script(before), &script(after)).into_iter().map(|change| change.text).collect()
    }

    #[test]
    fn equal_scripts_differ_in_nothing() {
        assert!(texts(vec![click("A"), fill("B", "x")], vec![click("A"), fill("B", "x")]).is_empty());
    }

    #[test]
    fn a_renamed_control_is_one_change_of_one_step() {
        let mut renamed = click("Save all");
        if let Some(target) = &mut renamed.action.target {
            target.scope = Some("form:Profile".into());
        }
        let said = texts(vec![click("A"), click("Save")], vec![click("A"), renamed]);
        assert_eq!(
            said,
            ["step 2: the button is now called “Save all” (was “Save”), in form:Profile; \
                 it is found by other selectors, first by id=save all"]
        );
    }

    #[test]
    fn steps_come_and_go_without_touching_their_neighbours() {
        let said = texts(
            vec![click("A"), click("B"), click("C")],
            vec![click("A"), fill("N", "1"), click("B"), click("C")],
        );
        assert_eq!(said, ["step 2 is new: fill button \"N\" with \"1\""]);
        let said = texts(vec![click("A"), click("B"), click("C")], vec![click("A"), click("C")]);
        assert_eq!(said, ["the old step 2 is gone: click button \"B\""]);
        let said = texts(vec![fill("A", "1"), click("B")], vec![click("D")]);
        assert_eq!(said.len(), 2, "{said:?}");
        assert!(
            said[0].contains("old step 1 is gone") && said[1].contains("step 1: the button is now called")
        );
    }

    #[test]
    fn values_goals_and_the_rest_are_told() {
        let before = Script { start_url: "http://a/".into(), ..script(vec![fill("B", "x")]) };
        let check =
            Condition { role: Some("heading".into()), name: Some("Done".into()), ..Condition::default() };
        let after = Script {
            start_url: "http://b/".into(),
            goal_postconditions: vec![check],
            ..script(vec![fill("B", "y")])
        };
        let changes = differences(&before, &after);
        let said: Vec<&str> = changes.iter().map(|change| change.text.as_str()).collect();
        assert_eq!(
            said,
            [
                "StartUrl was “http://a/” and is now “http://b/”",
                "step 1: its value is now “y” (was “x”)",
                "the goal now checks heading “Done”"
            ]
        );
        assert_eq!(changes[1].keys[0].key, "Action.Value");
    }

    proptest::proptest! {
        #[test]
        fn every_step_is_accounted_for(old in "[abc]{0,8}", new in "[abc]{0,8}") {
            let steps = |letters: &str| letters.chars().map(|letter| click(&letter.to_string())).collect::<Vec<_>>();
            let changes = differences(&script(steps(&old)), &script(steps(&new)));
            let count = |kind| changes.iter().filter(|change| change.kind == kind).count();
            proptest::prop_assert_eq!(
                old.len() + count(ChangeKind::Added) - count(ChangeKind::Removed), new.len()
            );
            proptest::prop_assert_eq!(changes.is_empty(), old == new);
        }
    }
}
