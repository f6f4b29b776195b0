//! Changes after which the target is still itself.

use cairn_core::element::{Element, FrameStep, Usable};

use super::chance::Chance;
use super::document::Document;
use super::names;
use super::operator::Right;

pub fn wrap(document: &mut Document, chance: &mut Chance) -> Option<Right> {
    let target = document.target()?;
    for _ in 0..=chance.below(3) {
        let levels = chance.below(5);
        let prefix = document.ancestor(target, levels);
        let Some((parent, own)) = prefix.rsplit_once('/') else { continue };
        let container = ["div[1]", "section[1]", "div[2]", "span[1]"][chance.below(4)];
        let wrapped = if levels > 0 && chance.once_in(3) {
            // Another tag for the container itself.
            format!("{parent}/section[{}]", chance.below(4) + 1)
        } else {
            format!("{parent}/{container}/{}[1]", own.split('[').next().unwrap_or(own))
        };
        for place in document.inside(&prefix) {
            let path = &mut document.nodes[place].0.path;
            *path = format!("{wrapped}{}", &path[prefix.len()..]);
        }
    }
    Some(Right::Heal)
}

pub fn shuffle(document: &mut Document, chance: &mut Chance) -> Option<Right> {
    match chance.below(4) {
        0 => banner(document, chance),
        1 => remove_before(document, chance),
        2 => reorder(document, chance),
        _ => insert_before(document, chance),
    }
}

/// A block on top of the page: everything under the body moves one on.
fn banner(document: &mut Document, chance: &mut Chance) -> Option<Right> {
    for (element, _) in &mut document.nodes {
        if let Some(rest) = element.path.strip_prefix("/html[1]/body[1]/div[") {
            let (number, rest) = rest.split_once(']')?;
            let number: usize = number.parse().ok()?;
            element.path = format!("/html[1]/body[1]/div[{}]{rest}", number + 1);
        }
    }
    let scope = chance
        .once_in(2)
        .then(|| cairn_core::element::Scope { label: "region:News".to_owned(), weak: false });
    for (number, name) in ["Learn more", "Dismiss"].into_iter().enumerate() {
        let path = format!("/html[1]/body[1]/div[1]/button[{}]", number + 1);
        let new = Element { scope: scope.clone(), ..stranger("button", name, path, "We have news for you") };
        document.nodes.insert(number, (new, false));
    }
    Some(Right::Heal)
}

fn stranger(role: &str, name: &str, path: String, beside: &str) -> Element {
    let tag = if role == "link" { "a" } else { "button" };
    Element {
        role: role.to_owned(),
        name: name.to_owned(),
        tag: tag.to_owned(),
        usable: Usable::Yes,
        beside: Some(beside.to_owned()),
        path,
        ..Element::default()
    }
}

/// A sibling of the same tag before the target: the target's own path is now the sibling's.
fn insert_before(document: &mut Document, chance: &mut Chance) -> Option<Right> {
    let target = document.target()?;
    let levels = chance.below(3);
    let prefix = document.ancestor(target, levels);
    let (parent, own) = prefix.rsplit_once('/').map(|(parent, own)| (parent.to_owned(), own.to_owned()))?;
    let (tag, number) = own.split_once('[')?;
    let number: usize = number.trim_end_matches(']').parse().ok()?;
    for (element, _) in &mut document.nodes {
        step_on(&mut element.path, &parent, tag, number);
    }
    let old = &document.nodes[target].0;
    let rest = old.path.get(prefix.len()..).unwrap_or_default().to_owned();
    let new = Element {
        name: names::far(chance),
        path: format!("{prefix}{rest}"),
        attributes: old
            .attributes
            .iter()
            .filter(|(key, _)| matches!(key.as_str(), "class" | "type"))
            .map(clone_pair)
            .collect(),
        row_key: None,
        ..old.clone()
    };
    let note = new.name.clone();
    if let Some(beside) = document.nodes[target].0.beside.as_mut().filter(|_| levels == 0) {
        *beside = format!("{note} {beside}").chars().take(200).collect();
    }
    document.nodes.insert(target, (new, false));
    Some(Right::Heal)
}

fn clone_pair((key, value): (&String, &String)) -> (String, String) {
    (key.clone(), value.clone())
}

/// Adds one to the index of the sibling steps from `number` on.
fn step_on(path: &mut String, parent: &str, tag: &str, number: usize) {
    let Some(rest) = path.strip_prefix(parent).and_then(|rest| rest.strip_prefix('/')) else { return };
    let Some((own, behind)) = rest.split_once(']') else { return };
    let Some((name, index)) = own.split_once('[') else { return };
    let Ok(index) = index.parse::<usize>() else { return };
    if name == tag && index >= number {
        *path = format!("{parent}/{tag}[{}]{behind}", index + 1);
    }
}

fn remove_before(document: &mut Document, chance: &mut Chance) -> Option<Right> {
    let target = document.target()?;
    let twins = document.twins_of(target);
    for _ in 0..=chance.below(4) {
        let place = document.target()?.checked_sub(1 + chance.below(6));
        // A twin that goes changes what is right: that is another operator's.
        if let Some(place) = place.filter(|place| !twins.contains(place)) {
            if document.twins_of(document.target()?).contains(&place) {
                continue;
            }
            document.nodes.remove(place);
        }
    }
    Some(Right::Heal)
}

/// Two blocks change places; twins among them keep what is around them.
fn reorder(document: &mut Document, chance: &mut Chance) -> Option<Right> {
    let target = document.target()?;
    let block = document.ancestor(target, 2 + chance.below(3));
    let own = document.inside(&block);
    let first = *own.first()?;
    let last = *own.last()?;
    let twins = document.twins_of(target);
    // Twins outside the block would change places with it: order is all that tells some of them apart.
    if twins.iter().any(|twin| !own.contains(twin)) || own.len() != last - first + 1 {
        return wrap(document, chance);
    }
    let moved: Vec<_> = document.nodes.drain(first..=last).collect();
    let to = chance.below(document.nodes.len() + 1);
    let moved = moved.into_iter().map(|(mut element, marked)| {
        element.path =
            format!("/html[1]/body[1]/main[1]/div[{}]{}", chance.below(9) + 1, &element.path[block.len()..]);
        (element, marked)
    });
    let moved: Vec<_> = moved.collect();
    document.nodes.splice(to..to, moved);
    Some(Right::Heal)
}

#[expect(clippy::unnecessary_wraps, reason = "every operator answers alike")]
pub fn hash(document: &mut Document, chance: &mut Chance) -> Option<Right> {
    for (element, _) in &mut document.nodes {
        element.attributes.remove("data-testid");
        for attribute in ["id", "class"] {
            if let Some(value) = element.attributes.get_mut(attribute) {
                *value = chance.hash();
            }
        }
    }
    Some(Right::Heal)
}

#[expect(clippy::unnecessary_wraps, reason = "every operator answers alike")]
pub fn move_boxes(document: &mut Document, chance: &mut Chance) -> Option<Right> {
    let (right, down) = (300.0 + chance.below(400) as f64, 300.0 + chance.below(900) as f64);
    let narrow = chance.once_in(2);
    for (element, _) in &mut document.nodes {
        element.bounds.x += right;
        element.bounds.y += down;
        if narrow && element.usable == Usable::Yes {
            element.usable = Usable::Unknown;
        }
    }
    Some(Right::Heal)
}

pub fn decorate(document: &mut Document, chance: &mut Chance) -> Option<Right> {
    let target = document.target()?;
    let everywhere = chance.once_in(3);
    let twins = document.twins_of(target);
    for place in 0..document.nodes.len() {
        // A decoration by style goes to all that look alike.
        if place == target || twins.contains(&place) || everywhere {
            let name = document.nodes[place].0.name.clone();
            if !name.is_empty() {
                document.nodes[place].0.name = names::decorated(&name, chance);
            }
        }
    }
    Some(Right::Heal)
}

pub fn unusable_copy(document: &mut Document, chance: &mut Chance) -> Option<Right> {
    let target = document.target()?;
    let original = document.nodes[target].0.clone();
    let usable = match chance.below(4) {
        0 => Usable::Hidden,
        1 => Usable::Disabled,
        2 => Usable::Covered { by: "<div>".to_owned() },
        _ => Usable::Inert,
    };
    let copy =
        Element { path: format!("{}/div[1]/span[1]", document.ancestor(target, 1)), usable, ..original };
    // Nothing of what makes an element its own is copied with it.
    let copy =
        Element { attributes: copy.attributes.into_iter().filter(|(key, _)| key != "id").collect(), ..copy };
    let had_twins = !document.twins_of(target).is_empty();
    document.nodes.insert(target + chance.below(2), (copy, false));
    Some(if had_twins { Right::Either } else { Right::Heal })
}

pub fn shadow(document: &mut Document, chance: &mut Chance) -> Option<Right> {
    let target = document.target()?;
    let prefix = document.ancestor(target, 1 + chance.below(3));
    let frame = chance.once_in(2);
    for place in document.inside(&prefix) {
        let element = &mut document.nodes[place].0;
        let rest = element.path[prefix.len()..].to_owned();
        element.path = if frame { format!("/html[1]/body[1]{rest}") } else { format!("{prefix} >> {rest}") };
        if frame {
            element.frame = vec![FrameStep { index: 0, name: "content".to_owned(), url: String::new() }];
        }
    }
    Some(Right::Heal)
}
