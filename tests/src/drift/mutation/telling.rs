//! Changes that decide whether the target may be found.

use cairn_core::element::{Element, Scope, Usable};
use cairn_core::text::normalise;

use super::chance::Chance;
use super::document::Document;
use super::names;
use super::operator::Right;

pub fn swap_role(document: &mut Document) -> Option<Right> {
    let target = document.target()?;
    let unique = document.twins_of(target).is_empty();
    let name = normalise(&document.nodes[target].0.name);
    let namesakes = document.nodes.iter().filter(|(element, _)| normalise(&element.name) == name).count();
    let element = &mut document.nodes[target].0;
    let (role, tag) = match element.role.as_str() {
        "button" => ("link", "a"),
        "textbox" => ("searchbox", "input"),
        "searchbox" => ("textbox", "input"),
        "checkbox" => ("switch", "button"),
        "combobox" => ("listbox", "select"),
        "link" | "tab" => ("button", "button"),
        _ => return None,
    };
    role.clone_into(&mut element.role);
    tag.clone_into(&mut element.tag);
    element.attributes.remove("href");
    Some(if unique && namesakes == 1 && !name.is_empty() { Right::Heal } else { Right::Either })
}

fn rename(document: &mut Document, place: usize, name: &str) {
    let old = std::mem::replace(&mut document.nodes[place].0.name, name.to_owned());
    document.rename_around(&old, name);
}

pub fn relabel_near(document: &mut Document, chance: &mut Chance) -> Option<Right> {
    let target = document.target()?;
    let name = names::nearly(&document.nodes[target].0.name, chance);
    rename(document, target, &name);
    Some(Right::Either)
}

pub fn relabel_far(document: &mut Document, chance: &mut Chance) -> Option<Right> {
    let target = document.target()?;
    if chance.once_in(2) {
        let name = names::far(chance);
        rename(document, target, &name);
        return Some(Right::Decline);
    }
    for (element, _) in &mut document.nodes {
        element.name = names::translated(&element.name);
        for text in [&mut element.row_key, &mut element.heading, &mut element.beside].into_iter().flatten() {
            *text = names::translated(text);
        }
        if let Some(scope) = &mut element.scope {
            scope.label = names::translated(&scope.label);
        }
    }
    Some(Right::Decline)
}

pub fn decoy(document: &mut Document, chance: &mut Chance) -> Option<Right> {
    let target = document.target()?;
    if !document.twins_of(target).is_empty() {
        return None;
    }
    let element = document.nodes[target].0.clone();
    let region = document.ancestor(target, 3);
    let elsewhere: Vec<usize> = (0..document.nodes.len())
        .filter(|place| {
            document.nodes[*place].0.role == element.role
                && !document.nodes[*place].0.path.starts_with(&region)
        })
        .collect();
    let other = *chance.one_of(&elsewhere)?;
    document.nodes[other].0.name.clone_from(&element.name);
    document.nodes[target].0.name = names::far(chance);
    Some(Right::Decline)
}

pub fn remove(document: &mut Document) -> Option<Right> {
    let target = document.target()?;
    document.nodes.remove(target);
    Some(Right::Decline)
}

pub fn remove_twin(document: &mut Document) -> Option<Right> {
    let target = document.target()?;
    if document.twins_of(target).is_empty() {
        return None;
    }
    remove(document)
}

/// A sticky copy, or a modal with the same controls over the page.
pub fn duplicate_region(document: &mut Document, chance: &mut Chance) -> Option<Right> {
    let target = document.target()?;
    let region = document.ancestor(target, 2 + chance.below(2));
    let modal = chance.once_in(2);
    let mut copies = Vec::new();
    for place in document.inside(&region) {
        let mut copy = document.nodes[place].0.clone();
        copy.path = format!("/html[1]/body[1]/aside[1]{}", &copy.path[region.len()..]);
        copy.attributes.remove("id");
        if modal {
            copy.scope = Some(Scope { label: "dialog:Quick access".to_owned(), weak: false });
            copy.heading = Some("Quick access".to_owned());
        }
        copies.push((copy, false));
    }
    if modal {
        for (element, _) in &mut document.nodes {
            element.usable = Usable::Inert;
        }
    }
    let at = if chance.once_in(2) { 0 } else { document.nodes.len() };
    document.nodes.splice(at..at, copies);
    Some(Right::Either)
}

/// To where another element stands: its region, heading and text beside.
pub fn relocate(document: &mut Document, chance: &mut Chance) -> Option<Right> {
    let target = document.target()?;
    let unique = document.twins_of(target).is_empty();
    let to = chance.below(document.nodes.len());
    if to == target {
        return None;
    }
    let host = document.nodes[to].0.clone();
    let (mut element, marked) = document.nodes.remove(target);
    let tag = element.tag.clone();
    element.path = format!(
        "{}/{tag}[{}]",
        host.path.rsplit_once('/').map_or("", |(parent, _)| parent),
        chance.below(5) + 3
    );
    element.scope = host.scope;
    element.heading = host.heading;
    element.beside = host.beside;
    element.row_key = host.row_key;
    let at = to.min(document.nodes.len());
    document.nodes.insert(at, (element, marked));
    // With a twin left behind, nothing but an id of its own can tell it: finding it by that is no mistake.
    Some(if unique { Right::Heal } else { Right::Either })
}

/// Two row controls change places with their rows, or a row appears above.
pub fn rows(document: &mut Document, chance: &mut Chance) -> Option<Right> {
    let target = document.target()?;
    let twins = document.twins_of(target);
    let own = document.nodes[target].0.clone();
    own.row_key.as_ref()?;
    let other = twins.iter().copied().find(|twin| document.nodes[*twin].0.row_key != own.row_key)?;
    if chance.once_in(2) {
        let path = document.nodes[other].0.path.clone();
        let mine = std::mem::replace(&mut document.nodes[target].0.path, path);
        document.nodes[other].0.path = mine;
        document.nodes.swap(target, other);
        return Some(Right::Either);
    }
    let key = names::far(chance);
    let mut row = Element { row_key: Some(key.clone()), beside: Some(key), ..own.clone() };
    row.attributes.remove("id");
    row.attributes.remove("href");
    let path = document.nodes[target].0.path.clone();
    document.nodes[target].0.path = format!("{path}/following");
    document.nodes.insert(target, (Element { path, ..row }, false));
    Some(Right::Either)
}

pub fn strip(document: &mut Document, chance: &mut Chance) -> Option<Right> {
    let target = document.target()?;
    let unnamed = normalise(&document.nodes[target].0.name).is_empty();
    document.nodes[target].0.name = if unnamed { names::far(chance) } else { String::new() };
    Some(Right::Either)
}

/// Sign-in, error, consent wall.
#[expect(clippy::unnecessary_wraps, reason = "every operator answers alike")]
pub fn other_page(document: &mut Document, chance: &mut Chance) -> Option<Right> {
    let controls: &[(&str, &str)] = match chance.below(3) {
        0 => &[
            ("textbox", "Email"),
            ("textbox", "Password"),
            ("button", "Sign in"),
            ("link", "Forgot password?"),
            ("link", "Home"),
        ],
        1 => &[
            ("link", "Home"),
            ("button", "Try again"),
            ("link", "Contact us"),
            ("link", "Help"),
            ("textbox", "Search"),
        ],
        _ => &[
            ("button", "Accept all"),
            ("button", "Reject all"),
            ("link", "Privacy policy"),
            ("button", "Save"),
            ("link", "About"),
        ],
    };
    let page = controls.iter().enumerate().map(|(number, (role, name))| {
        let tag = match *role {
            "link" => "a",
            "textbox" => "input",
            _ => "button",
        };
        let element = Element {
            role: (*role).to_owned(),
            name: (*name).to_owned(),
            tag: tag.to_owned(),
            path: format!("/html[1]/body[1]/main[1]/{tag}[{}]", number + 1),
            usable: Usable::Yes,
            heading: Some("One moment".to_owned()),
            beside: Some("Before you go on".to_owned()),
            ..Element::default()
        };
        (element, false)
    });
    document.nodes = page.collect();
    Some(Right::Decline)
}
