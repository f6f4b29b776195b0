//! What leaves the page: every secret replaced by `%name%`, in the page, before a byte goes out.
//!
//! Two forms leave. A *shown* text (a listing, a snapshot, a report, a log line) is for people and models: secrets are
//! replaced and nothing else. A *stored* text goes into a script: it is templated too, so that inputs stand as `%name%`
//! and a literal percent sign as `%%`, and `value::expand` gives back what the page said.
//!
//! Masking goes by field and never over finished JSON: a password such as `click` must not turn the method `click` into
//! a token.

use cairn_core::element::{Element, FrameStep};
use cairn_core::ladder::{Decline, Match, RunnerUp, Verdict};
use cairn_core::map::{Map, Named};
use cairn_core::redact::{Redactor, SHORTEST_SECRET};
use cairn_core::script::{Effect, OptionChoice, Seen, Step, Target};
use cairn_core::value;
use cairn_core::wire::page::{CheckResult, Divergence, InputValue, Listing, StepReport};

/// Noncharacters, which no page can mean: they carry a secret's name through the escaping of percent signs.
const OPEN: char = '\u{FDD0}';
const CLOSE: char = '\u{FDD1}';

/// So many former values of one secret are kept: a field that is typed key by key has one a key, and the page may
/// echo any of them.
const MOST_FORMER: usize = 400;

/// Every outgoing string's filter. One per frame.
#[derive(Clone, Debug, Default)]
pub struct Mask {
    /// Secrets by name: all values the name has had, the latest last.
    secrets: Map<String, Vec<String>>,
    /// Inputs that are no secrets, for stored texts.
    inputs: Named<InputValue>,
    shown: Redactor,
    stored: Redactor,
}

impl Mask {
    /// A mask that knows nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the secrets of the lease (see `Configure::secrets`).
    pub fn configure(&mut self, secrets: &Named<String>) {
        for (name, value) in secrets {
            self.learn(name, value);
        }
    }

    /// Adds the inputs of a run or a recording: secret ones are masked everywhere, the others templated in stored texts.
    pub fn expect(&mut self, inputs: &Named<InputValue>) {
        for (name, input) in inputs {
            if input.secret {
                self.learn(name, &input.value);
            } else {
                self.inputs.insert(name.clone(), input.clone());
            }
        }
    }

    /// Adds a value of a secret. Former values stay masked. Values under three characters would hit everywhere and are
    /// kept out of texts only where the whole field is the secret (see `stored_typed`).
    pub fn learn(&mut self, name: &str, value: &str) {
        let known = self.secrets.get_or_default(name.to_owned());
        if value.is_empty() || known.iter().any(|former| former == value) {
            return;
        }
        known.push(value.to_owned());
        if known.len() > MOST_FORMER {
            known.remove(0);
        }
        self.shown.add(name, value);
        self.stored.add(&format!("{OPEN}{name}{CLOSE}"), value);
    }

    /// True where an input or secret has this name.
    pub fn knows(&self, name: &str) -> bool {
        self.secrets.contains_key(name) || self.inputs.contains_key(name)
    }

    /// The secret whose latest value this is, of three or more characters.
    pub fn secret_named(&self, value: &str) -> Option<&str> {
        let long = value.chars().count() >= SHORTEST_SECRET;
        let mut named =
            self.secrets.iter().filter(|(_, values)| long && values.last().is_some_and(|last| last == value));
        named.next().map(|(name, _)| name.as_str())
    }

    /// True where a text echoes a secret.
    pub fn hides(&self, text: &str) -> bool {
        self.shown.finds(text).is_some()
    }

    /// A shown text.
    pub fn text(&self, text: &str) -> String {
        if self.shown.is_empty() { text.to_owned() } else { self.shown.apply(text) }
    }

    /// A stored text.
    pub fn stored(&self, text: &str) -> String {
        let hidden = self.stored.apply(text);
        reveal_names(&value::templatize(&hidden, &self.inputs))
    }

    /// What a person typed into an ordinary field, for a script: the whole text is its input, however short.
    pub fn stored_typed(&self, text: &str) -> String {
        let secret = self.secrets.iter().find(|(_, values)| values.iter().any(|value| value == text));
        if let Some((name, _)) = secret.filter(|_| text.chars().count() >= SHORTEST_SECRET) {
            return format!("%{name}%");
        }
        if self.stored.finds(text).is_some() {
            return self.stored(text);
        }
        value::templatize_typed(text, &self.inputs)
    }

    fn mask(&self, text: &mut String) {
        if self.hides(text) {
            *text = self.shown.apply(text);
        }
    }

    fn store(&self, text: &mut String) {
        *text = self.stored(text);
    }

    /// A target as it goes into a script.
    pub fn store_target(&self, target: &mut Target) {
        let Target {
            name,
            selector,
            selectors,
            scope,
            frame,
            path,
            attributes,
            near_names,
            row_key,
            heading,
            beside,
            ..
        } = target;
        self.store(name);
        self.store(selector);
        self.store(path);
        for text in selectors {
            self.store(text);
        }
        for text in attributes.values_mut() {
            self.store(text);
        }
        for text in near_names.iter_mut().flatten() {
            self.store(text);
        }
        for text in [scope, row_key, heading, beside].into_iter().flatten() {
            self.store(text);
        }
        for FrameStep { name, url, .. } in frame {
            self.store(name);
            self.store(url);
        }
    }

    /// An option as it goes into a script.
    pub fn store_option(&self, option: &mut OptionChoice) {
        self.store(&mut option.value);
        for text in [&mut option.label, &mut option.group].into_iter().flatten() {
            self.store(text);
        }
    }

    /// An element of an effect or a check as it goes into a script.
    pub fn store_seen(&self, seen: &mut Seen) {
        self.store(&mut seen.name);
        if let Some(text) = &mut seen.scope {
            self.store(text);
        }
    }

    /// An effect as it goes into a script. Its value must be the target's, and the target no secret field.
    pub fn store_effect(&self, effect: &mut Effect) {
        for text in [&mut effect.url_after, &mut effect.new_tab, &mut effect.download].into_iter().flatten() {
            self.store(text);
        }
        if let Some(text) = &mut effect.value {
            *text = self.stored_typed(text);
        }
        for text in &mut effect.dialogs {
            self.store(text);
        }
        for seen in effect.appeared.iter_mut().chain(&mut effect.vanished).chain(&mut effect.focus) {
            self.store_seen(seen);
        }
    }

    /// A listing.
    pub fn mask_listing(&self, listing: &mut Listing) {
        if self.shown.is_empty() {
            return;
        }
        self.mask(&mut listing.url);
        self.mask(&mut listing.title);
        for listed in &mut listing.elements {
            if let Some(text) = &mut listed.selector {
                self.mask(text);
            }
            self.mask_element(&mut listed.element);
        }
        for frame in &mut listing.frames {
            self.mask(&mut frame.name);
            for cover in &mut frame.covers {
                self.mask(&mut cover.by);
            }
        }
    }

    /// One element.
    pub fn mask_element(&self, element: &mut Element) {
        let Element { name, scope, states, attributes, path, row_key, heading, beside, frame, .. } = element;
        self.mask(name);
        self.mask(path);
        if let Some(scope) = scope {
            self.mask(&mut scope.label);
        }
        for text in states.options.iter_mut().chain(&mut states.value) {
            self.mask(text);
        }
        for text in attributes.values_mut() {
            self.mask(text);
        }
        for text in [row_key, heading, beside].into_iter().flatten() {
            self.mask(text);
        }
        for step in frame {
            self.mask(&mut step.url);
        }
    }

    /// How a target was found.
    pub fn mask_verdict(&self, verdict: &mut Verdict) {
        match verdict {
            Verdict::Found(Match { selector, runner_up, reason, .. })
            | Verdict::Healed(Match { selector, runner_up, reason, .. }) => {
                self.mask(reason);
                if let Some(text) = selector {
                    self.mask(text);
                }
                if let Some(other) = runner_up {
                    self.mask_runner_up(other);
                }
            }
            Verdict::Ambiguous(Decline { shortlist, reason, .. })
            | Verdict::Lost(Decline { shortlist, reason, .. }) => {
                self.mask(reason);
                for other in shortlist {
                    self.mask_runner_up(other);
                }
            }
        }
    }

    fn mask_runner_up(&self, other: &mut RunnerUp) {
        self.mask(&mut other.name);
        self.mask(&mut other.reason);
    }

    /// A step's report. `repointed` goes into a script and is stored, the rest is shown.
    pub fn mask_report(&self, report: &mut StepReport) {
        if let Some(target) = &mut report.repointed {
            self.store_target(target);
        }
        if let Some(verdict) = &mut report.found {
            self.mask_verdict(verdict);
        }
        self.mask(&mut report.url);
        if let Some(text) = &mut report.extracted {
            self.mask(text);
        }
        for waited in &mut report.waits {
            self.mask(&mut waited.cause);
        }
        if let Some(Divergence { expected, observed, .. }) = &mut report.divergence {
            self.mask(expected);
            self.mask(observed);
        }
    }

    /// Results of checks.
    pub fn mask_checks(&self, results: &mut [CheckResult]) {
        for result in results {
            self.mask(&mut result.expected);
            self.mask(&mut result.observed);
        }
    }

    /// A recorded step: everything but its `value` and `instruction`, which the recorder writes in stored form.
    pub fn store_step(&self, step: &mut Step) {
        self.store(&mut step.url_before);
        if let Some(target) = &mut step.action.target {
            self.store_target(target);
        }
        for option in step.action.option.iter_mut().chain(&mut step.action.options) {
            self.store_option(option);
        }
        if let Some(text) = &mut step.weak {
            self.mask(text);
        }
    }
}

/// Turns the carried names back into tokens.
fn reveal_names(text: &str) -> String {
    if !text.contains(OPEN) {
        return text.to_owned();
    }
    text.replace(&format!("%%{OPEN}"), "%").replace(&format!("{CLOSE}%%"), "%")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mask() -> Mask {
        let mut mask = Mask::new();
        mask.learn("password", "orc");
        mask.learn("password", "orchid 7");
        mask.expect(&Named::from([
            ("who".to_owned(), InputValue { value: "Ann".to_owned(), secret: false }),
            ("pin".to_owned(), InputValue { value: "4711".to_owned(), secret: true }),
        ]));
        mask
    }

    #[test]
    fn shown_texts_lose_secrets_and_nothing_else() {
        assert_eq!(mask().text("Ann typed orchid 7 (100%)"), "Ann typed %password% (100%)");
        assert_eq!(mask().text("/?p=orchid%207&pin=4711"), "/?p=%password%&pin=%pin%");
        assert_eq!(mask().text("strength of orc: weak"), "strength of %password%: weak");
    }

    #[test]
    fn stored_texts_are_templates() {
        assert_eq!(mask().stored("Ann typed orchid 7 (100%)"), "%who% typed %password% (100%%)");
        assert_eq!(mask().stored("/?p=orchid%207&q=a%20b"), "/?p=%password%&q=a%%20b");
        assert_eq!(mask().stored("%password%"), "%%password%%");
        assert_eq!(mask().stored_typed("50%off%"), "50%%off%%");
        assert_eq!(mask().stored_typed("4711"), "%pin%");
    }

    #[test]
    fn a_secret_that_is_a_word_of_the_format_leaves_the_shape_alone() {
        let mut mask = Mask::new();
        mask.learn("password", "button");
        let mut target =
            Target { role: "button".to_owned(), name: "the button".to_owned(), ..Target::default() };
        mask.store_target(&mut target);
        assert_eq!((target.role.as_str(), target.name.as_str()), ("button", "the %password%"));
    }

    #[test]
    fn what_is_stored_expands_to_what_was_seen() {
        let mask = mask();
        let mut inputs = mask.inputs.clone();
        inputs.insert("password".to_owned(), InputValue { value: "orchid 7".to_owned(), secret: true });
        let seen = "Ann's key is orchid 7, 100% sure";
        assert_eq!(value::expand(&mask.stored(seen), &inputs).unwrap(), seen);
    }
}
