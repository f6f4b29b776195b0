//! The steps of this document as the host knows them: each with its action, its effect and what is still to be told.

use cairn_core::map::Map;
use cairn_core::script::{Action, Effect, Method, OptionChoice, Seen, Step, Target, distill};
use cairn_core::wire::page::{Captured, PageEvent};

use super::control::{Chosen, Place};
use super::mind::What;
use super::words;
use crate::mask::Mask;

/// One step.
struct Entry {
    /// When the person acted, in milliseconds since 1970.
    at: f64,
    step: Step,
    effect: Effect,
    assertable: Vec<Seen>,
    /// The secret that it fills in: name and value. Told when the step is settled.
    secret: Option<(String, String)>,
    settled: bool,
    /// The host knows its number.
    told: bool,
    /// There is something to tell.
    changed: bool,
}

/// The steps of this document.
#[derive(Default)]
pub struct Ledger {
    entries: Map<u32, Entry>,
    retracted: Vec<u32>,
}

impl Ledger {
    /// A step begins, of an act at this time. Its action is told by `act`.
    pub fn begin(&mut self, number: u32, at: f64, mut step: Step, mut assertable: Vec<Seen>, mask: &Mask) {
        mask.store_step(&mut step);
        step.precondition = distill::precondition(&step);
        for seen in &mut assertable {
            mask.store_seen(seen);
        }
        let effect = Effect::default();
        self.entries.insert(
            number,
            Entry { at, step, effect, assertable, secret: None, settled: false, told: false, changed: true },
        );
    }

    /// The last step of the document before.
    pub fn take_over(&mut self, prior: Captured) {
        let Captured { number, at, step, effect, assertable, .. } = prior;
        self.entries.insert(
            number,
            Entry { at, step, effect, assertable, secret: None, settled: false, told: true, changed: false },
        );
    }

    /// Where the step's drag ends.
    pub fn ends_at(&mut self, number: u32, to: Target, mask: &Mask) {
        if let Some(entry) = self.entries.get_mut(&number) {
            let mut to = to;
            mask.store_target(&mut to);
            entry.step.to = Some(Box::new(to));
        }
    }

    /// What the step does, as it is known now.
    pub fn act(&mut self, number: u32, what: What, secret: Option<(String, String)>, mask: &Mask) {
        let Some(entry) = self.entries.get_mut(&number) else { return };
        // Events of the page do all of HTML's dragging; the browser's own hand would be caught in it.
        let carried = matches!(what, What::Drag { carried: true, .. });
        entry.step.input = carried.then(|| "page".to_owned());
        write_action(&mut entry.step.action, what, secret.as_ref().map(|(name, _)| name.as_str()), mask);
        entry.secret = secret.or(entry.secret.take());
        entry.step.instruction = words::sentence(&entry.step.action);
        (entry.changed, entry.settled) = (true, false);
    }

    /// What came of the step, in the page's words. `handed_over`: its texts are stored ones already.
    pub fn effect(
        &mut self,
        number: u32,
        mut effect: Effect,
        mut assertable: Vec<Seen>,
        handed_over: bool,
        last: bool,
        mask: &Mask,
    ) {
        let Some(entry) = self.entries.get_mut(&number) else { return };
        if entry.secret.is_some() {
            effect.value = effect.value.and(entry.step.action.value.clone());
        }
        if !handed_over {
            mask.store_effect(&mut effect);
            if let (Some((_, _)), Some(value)) = (&entry.secret, &entry.step.action.value) {
                effect.value = effect.value.and(Some(value.clone()));
            }
        }
        for seen in &mut assertable {
            mask.store_seen(seen);
        }
        keep_what_others_saw(&mut effect, &entry.effect);
        entry.changed |= entry.effect != effect || entry.settled != last;
        (entry.effect, entry.assertable, entry.settled) = (effect, assertable, last);
    }

    /// Whether the step is known to have changed the page.
    pub fn stirs(&self, number: u32) -> Option<bool> {
        self.entries.get(&number)?.effect.stirs
    }

    /// The step sends something.
    pub fn sends(&mut self, number: u32) {
        if let Some(entry) = self.entries.get_mut(&number) {
            entry.step.sends = Some(true);
            entry.changed = true;
        }
    }

    /// The step is to be told again.
    pub fn touch(&mut self, number: u32) {
        if let Some(entry) = self.entries.get_mut(&number) {
            entry.changed = true;
        }
    }

    /// The step was none.
    pub fn retract(&mut self, number: u32) {
        if self.entries.remove(&number).is_some_and(|entry| entry.told) {
            self.retracted.push(number);
        }
    }

    /// A step's target.
    pub fn target(&self, number: u32) -> Option<&Target> {
        self.entries.get(&number)?.step.action.target.as_ref()
    }

    /// The name of a step's target.
    pub fn target_name(&self, number: u32) -> String {
        self.target(number).map(|target| target.name.clone()).unwrap_or_default()
    }

    /// All that the host does not know yet. `leaving`: secrets are told though their steps are not settled.
    pub fn tell(&mut self, leaving: bool) -> Vec<PageEvent> {
        let mut events: Vec<PageEvent> = std::mem::take(&mut self.retracted)
            .into_iter()
            .map(|number| PageEvent::Retracted { number })
            .collect();
        for (number, entry) in self.entries.iter_mut().filter(|(_, entry)| entry.changed) {
            entry.changed = false;
            let secrets = entry.secret.clone().filter(|_| entry.settled || leaving).into_iter().collect();
            let captured = Captured {
                number: *number,
                at: entry.at,
                step: entry.step.clone(),
                effect: entry.effect.clone(),
                settled: entry.settled,
                secrets,
                assertable: entry.assertable.clone(),
            };
            let told = std::mem::replace(&mut entry.told, true);
            events.push(if told { PageEvent::Amended(captured) } else { PageEvent::Captured(captured) });
        }
        events
    }
}

/// A dialog, a new tab, a download are seen from outside the page: another look at the page does not know of them.
fn keep_what_others_saw(effect: &mut Effect, known: &Effect) {
    effect.requests.clone_from(&known.requests);
    effect.dialogs.clone_from(&known.dialogs);
    effect.new_tab.clone_from(&known.new_tab);
    effect.download.clone_from(&known.download);
}

fn write_action(action: &mut Action, what: What, secret: Option<&str>, mask: &Mask) {
    (action.value, action.option, action.options) = (None, None, Vec::new());
    action.method = match what {
        What::Click(place) => {
            action.value = place.map(Place::text);
            Method::Click
        }
        What::Dblclick => Method::Dblclick,
        What::Contextmenu => Method::Contextmenu,
        What::Check(true) => Method::Check,
        What::Check(false) => Method::Uncheck,
        What::Fill { value, .. } => {
            action.value = Some(secret.map_or_else(|| mask.stored_typed(&value), |name| format!("%{name}%")));
            Method::Fill
        }
        What::Type(text) => {
            action.value = Some(mask.stored_typed(&text));
            Method::Type
        }
        What::Press(chord) => {
            // A chord is a key's name and no text: only its percent sign must be written twice.
            action.value = Some(chord.replace('%', "%%"));
            Method::Press
        }
        What::Select { options, several } => {
            write_options(action, &options, several, mask);
            Method::Select
        }
        What::Drag { place, .. } => {
            action.value = place;
            Method::Drag
        }
        What::Scroll => Method::Scroll,
        What::Hover => Method::Hover,
        What::Upload(names) => {
            action.value = Some(mask.stored(&names.join("\n")));
            Method::Upload
        }
    };
}

fn write_options(action: &mut Action, options: &[Chosen], several: bool, mask: &Mask) {
    let choice = |one: &Chosen, label: Option<String>| {
        let mut option =
            OptionChoice { label, value: one.value.clone(), group: one.group.clone(), index: one.index };
        mask.store_option(&mut option);
        option
    };
    if let Some(first) = options.first() {
        action.value = Some(mask.stored_typed(&first.label));
        action.option = Some(choice(first, None));
    }
    if several {
        action.options = options.iter().map(|one| choice(one, Some(one.label.clone()))).collect();
    }
}
