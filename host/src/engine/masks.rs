//! What hides the secrets among inputs: here, and in every page.

use cairn_core::redact::Redactor;
use cairn_core::wire::page::{Configure, InputValue};

/// For what is written and said, and for a tab's pages before they say a word.
pub(super) fn masks<'a>(
    inputs: impl IntoIterator<Item = (&'a String, &'a InputValue)>,
) -> (Redactor, Configure) {
    let secrets: Vec<_> = inputs.into_iter().filter(|(_, input)| input.secret).collect();
    let pairs = secrets.iter().map(|(name, input)| (name.as_str(), input.value.as_str()));
    let secrets = secrets.iter().map(|(name, input)| ((*name).clone(), input.value.clone())).collect();
    (Redactor::new(pairs), Configure { secrets, ..Configure::default() })
}
