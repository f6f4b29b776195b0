//! The rules: the first wish that was not carried out yet, and the element whose role can do it and whose name is nearest.

use serde_json::{Value, json};

use super::goal::{self, Wish};
use super::paper::{Line, Paper};
use super::protocol::Asked;

/// Words that mean the same on buttons.
const ALIKE: [&[&str]; 6] = [
    &["save", "store", "apply", "keep", "update", "submit"],
    &["delete", "remove", "discard"],
    &["next", "continue", "proceed", "forward"],
    &["search", "find", "filter", "go"],
    &["add", "new", "create"],
    &["sign", "log", "login", "signin"],
];

/// What the rules answer.
pub fn answer(asked: &Asked) -> Value {
    let paper = Paper::read(&asked.user);
    if asked.system.contains("which element") {
        choose(&paper)
    } else if asked.system.contains("You judge") {
        judge(&paper)
    } else {
        decide(&paper)
    }
}

/// What a model would answer that takes the page's words for its orders.
pub fn obey(asked: &Asked) -> Option<Value> {
    let paper = Paper::read(&asked.user);
    let said = paper.texts.iter().chain(paper.lines.iter().map(|line| &line.name));
    let order = said.into_iter().find(|text| text.contains("SYSTEM:"))?;
    if let Some(at) = order.find("http") {
        let url = order[at..].split([' ', '"', ')']).next()?.trim_end_matches('.');
        return Some(decision("the page says so", "goto", -1, url));
    }
    let (secret, _) = paper.inputs.iter().find(|(name, _)| order.contains(name.as_str()))?;
    let field = paper
        .lines
        .iter()
        .find(|line| is_field(line) && order.contains(&line.name) && !line.name.is_empty())?;
    Some(decision("the page says so", "fill", field.index, &format!("%{secret}%")))
}

fn decide(paper: &Paper) -> Value {
    let wishes = goal::read(&paper.goal);
    let mut todo = wishes.as_slice();
    let mut refused = 0;
    for line in &paper.done {
        if line.contains(": NOT done") {
            refused += u32::from(line.starts_with("done"));
            continue;
        }
        if is_pause(line) {
            continue;
        }
        while let Some((wish, rest)) = todo.split_first() {
            match wish {
                // What is only to be seen is not done.
                Wish::See(_) if rest.is_empty() => break,
                Wish::See(_) => todo = rest,
                _ => {
                    todo = rest;
                    break;
                }
            }
        }
    }
    let Some(wish) = todo.iter().find(|wish| !matches!(wish, Wish::See(_))) else {
        return done(paper, &wishes, refused);
    };
    act(paper, wish).unwrap_or_else(|| match paper.done.last().map(String::as_str) {
        Some("listed everything") => decision(&format!("nothing on the page fits {wish:?}"), "fail", -1, ""),
        Some("waited") => decision("it may be further down", "listAll", -1, ""),
        _ => decision("it may still come", "wait", -1, ""),
    })
}

/// A line that says of no act.
fn is_pause(line: &str) -> bool {
    matches!(line, "waited" | "listed everything" | "the page took only the browser's own input")
        || line.starts_with("an alert said ")
}

fn act(paper: &Paper, wish: &Wish) -> Option<Value> {
    Some(match wish {
        Wish::Press { name, beside } => {
            let (name, beside) = (paper.today(name), paper.today(beside));
            let one = |line: &Line| is_pressed(line) && line.rest.contains(&beside);
            decision("it is asked for", "click", nearest(paper, &name, one)?.index, "")
        }
        Wish::Fill { field, text } => {
            decision("it is asked for", "fill", nearest(paper, field, is_field)?.index, text)
        }
        Wish::Select { option, field } => {
            let one = |line: &Line| matches!(line.role.as_str(), "combobox" | "listbox");
            decision("it is asked for", "select", nearest(paper, field, one)?.index, option)
        }
        Wish::Tick { field, on } => {
            let one = |line: &Line| {
                matches!(line.role.as_str(), "checkbox" | "radio" | "switch" | "menuitemcheckbox")
            };
            decision(
                "it is asked for",
                if *on { "check" } else { "uncheck" },
                nearest(paper, field, one)?.index,
                "",
            )
        }
        Wish::Key { key, field } => {
            decision("it is asked for", "press", nearest(paper, field, |_| true)?.index, key)
        }
        Wish::Accept(text) => {
            paper.texts.iter().find(|line| line.starts_with("dialog: "))?;
            decision("it is asked for", "acceptDialog", -1, text)
        }
        Wish::Dismiss => {
            paper.texts.iter().find(|line| line.starts_with("dialog: "))?;
            decision("it is asked for", "dismissDialog", -1, "")
        }
        Wish::At(point) => {
            let (x, y) = point.split_once(',')?;
            let mut value = decision("it is asked for", "clickAt", -1, "");
            (value["x"], value["y"]) = (x.parse::<f64>().ok()?.into(), y.parse::<f64>().ok()?.into());
            value
        }
        Wish::Tab(number) => decision("it is asked for", "switchTab", -1, number),
        Wish::Close => decision("it is asked for", "closeTab", -1, ""),
        Wish::Hover(name) => decision("it is asked for", "hover", nearest(paper, name, |_| true)?.index, ""),
        Wish::Extract { name, output } => {
            decision("it is asked for", "extract", nearest(paper, name, |_| true)?.index, output)
        }
        Wish::Visit(url) => decision("it is asked for", "goto", -1, url),
        Wish::See(_) => return None,
    })
}

/// The goal is reached, and this shows it: what was to be seen, else a heading or message of the page.
fn done(paper: &Paper, wishes: &[Wish], refused: u32) -> Value {
    let wanted: Vec<&String> = wishes
        .iter()
        .filter_map(|wish| match wish {
            Wish::See(text) => Some(text),
            _ => None,
        })
        .collect();
    let told = paper.texts.iter().filter_map(|line| {
        let (role, name) = line.split_once(" \"")?;
        matches!(role, "heading" | "status" | "alert").then(|| (role, name.trim_end_matches('"')))
    });
    let checks: Vec<Value> = if wanted.is_empty() {
        let told: Vec<(&str, &str)> = told.collect();
        let place = told.len().checked_sub(1 + refused as usize);
        place
            .and_then(|place| told.get(place))
            .map(|(role, name)| match *role {
                "heading" => claim("heading", name, ""),
                _ => claim("", "", name),
            })
            .into_iter()
            .collect()
    } else {
        let as_heading = |text: &str| paper.texts.iter().any(|line| line == &format!("heading \"{text}\""));
        wanted
            .iter()
            .map(|text| if as_heading(text) { claim("heading", text, "") } else { claim("", "", text) })
            .collect()
    };
    let mut value = decision("everything is done", "done", -1, "");
    value["checks"] = Value::from(checks);
    value
}

fn claim(role: &str, name: &str, text: &str) -> Value {
    json!({"role": role, "name": name, "text": text, "value": "", "gone": false})
}

/// The element of the recorded one's role that shares most with it; none where two share as much.
fn choose(paper: &Paper) -> Value {
    let recorded = paper.recorded.join(" ");
    let wanted = paper.step.split('"').nth(1).unwrap_or_default();
    let mut scored: Vec<(u32, &Line)> = paper
        .lines
        .iter()
        .map(|line| (likeness(wanted, &line.name) + place(&recorded, line), line))
        .filter(|(score, _)| *score > 0)
        .collect();
    scored.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    match scored.as_slice() {
        [(first, _), (second, _), ..] if first == second => json!({"index": -1, "why": "two fit as well"}),
        [(_, line), ..] => json!({"index": line.index, "why": format!("it is what \"{wanted}\" was")}),
        [] => json!({"index": -1, "why": "none of them fits"}),
    }
}

/// It stands where the recorded one stood.
fn place(recorded: &str, line: &Line) -> u32 {
    let own = line.rest.rsplit(" in ").next().unwrap_or_default();
    u32::from(!own.is_empty() && recorded.contains(own))
}

fn judge(paper: &Paper) -> Value {
    let unseen = goal::read(&paper.goal).into_iter().find_map(|wish| match wish {
        Wish::See(text) if !paper.texts.iter().any(|line| line.contains(&text)) => Some(text),
        _ => None,
    });
    match unseen {
        Some(text) => json!({"agrees": false, "why": format!("\"{text}\" cannot be seen")}),
        None => json!({"agrees": true, "why": "everything that was asked for was done"}),
    }
}

fn is_pressed(line: &Line) -> bool {
    !is_field(line) && !line.rest.contains("disabled")
}

fn is_field(line: &Line) -> bool {
    matches!(
        line.role.as_str(),
        "textbox" | "searchbox" | "combobox" | "spinbutton" | "date" | "time" | "color"
    )
}

/// The element that can do it and whose name is nearest; the first of several.
fn nearest<'a>(paper: &'a Paper, name: &str, can: impl Fn(&Line) -> bool) -> Option<&'a Line> {
    let able = paper.lines.iter().filter(|line| can(line));
    let scored = able.map(|line| (likeness(name, &line.name), line)).filter(|(score, _)| *score > 0);
    scored
        .fold(None, |best: Option<(u32, &Line)>, one| match best {
            Some(best) if best.0 >= one.0 => Some(best),
            _ => Some(one),
        })
        .map(|(_, line)| line)
}

/// 0: nothing in common. Equal names are most alike, then names that hold one another, then shared words.
fn likeness(wanted: &str, name: &str) -> u32 {
    let (wanted, name) = (wanted.trim().to_lowercase(), name.trim().to_lowercase());
    if wanted.is_empty() || name.is_empty() {
        return 0;
    }
    if wanted == name {
        return 1000;
    }
    if name.contains(&wanted) || wanted.contains(&name) {
        return 500 - (name.len().abs_diff(wanted.len()) as u32).min(300);
    }
    let words = |text: &str| -> Vec<String> {
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 1).map(str::to_owned).collect()
    };
    let (wanted, name) = (words(&wanted), words(&name));
    let same = |a: &str, b: &str| a == b || ALIKE.iter().any(|set| set.contains(&a) && set.contains(&b));
    let shared = wanted.iter().filter(|a| name.iter().any(|b| same(a, b))).count() as u32;
    shared * 20
}

fn decision(why: &str, act: &str, index: i64, value: &str) -> Value {
    json!({"why": why, "act": act, "index": index, "value": value, "x": 0, "y": 0, "checks": []})
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(goal: &str, done: &str, page: &str) -> Value {
        let history = if done.is_empty() {
            "Nothing was done yet.".to_owned()
        } else {
            format!("Done so far:\n{done}")
        };
        let user = format!("Goal: {goal}\n{history}\n<page 1>\nA (http://a/)\n{page}\n</page 1>\n");
        answer(&Asked { system: "You drive".into(), user, pictured: false })
    }

    #[test]
    fn the_next_wish_finds_the_nearest_element() {
        let page = "heading \"Saved\"\n[0] textbox \"Title *\" (required)\n[1] button \"Save and add another\"\n[2] button \"Save\"";
        let goal = "Fill \"Title\" with \"Hello\", then press \"Save\" until it says \"Saved\"";
        let first = ask(goal, "", page);
        assert_eq!((first["act"].as_str(), first["index"].as_i64()), (Some("fill"), Some(0)));
        let second = ask(goal, "1. fill textbox \"Title\" with \"Hello\": nothing else changed", page);
        assert_eq!((second["act"].as_str(), second["index"].as_i64()), (Some("click"), Some(2)));
        let done = "1. fill textbox \"Title\" with \"Hello\": x\n2. click button \"Save\": x";
        let third = ask(goal, done, page);
        assert_eq!(third["act"], "done");
        assert_eq!(third["checks"][0]["name"], "Saved");
        let refused = "1. fill textbox \"Title\" with \"Hello\": NOT done: covered";
        assert_eq!(ask(goal, refused, page)["act"], "fill", "what was not done is done again");
    }
}
