//! Words on buttons that send something which must not be sent twice, by language. A button with such a word is taken to
//! send even where no request was seen: it may go over a socket, or wait for a timer.

use cairn_core::script::{Method, Step};
use cairn_core::text::normalise;

/// Languages with their words. A word of several parts must stand there as it is.
const WORDS: [(&str, &[&str]); 7] = [
    (
        "en",
        &[
            "pay",
            "buy",
            "purchase",
            "order",
            "send",
            "submit",
            "delete",
            "transfer",
            "confirm",
            "book",
            "publish",
            "post",
            "deploy",
            "withdraw",
            "refund",
            "subscribe",
            "unsubscribe",
            "approve",
            "reject",
            "donate",
            "bid",
            "invite",
            "sign up",
            "check out now",
            "place order",
        ],
    ),
    (
        "de",
        &[
            "zahlen",
            "bezahlen",
            "kaufen",
            "bestellen",
            "senden",
            "absenden",
            "abschicken",
            "löschen",
            "überweisen",
            "bestätigen",
            "buchen",
            "veröffentlichen",
            "kündigen",
            "stornieren",
            "genehmigen",
            "ablehnen",
            "spenden",
            "beantragen",
            "einreichen",
            "auszahlen",
            "erstatten",
            "registrieren",
        ],
    ),
    (
        "fr",
        &[
            "payer",
            "acheter",
            "commander",
            "envoyer",
            "soumettre",
            "supprimer",
            "transférer",
            "virer",
            "confirmer",
            "réserver",
            "publier",
            "valider",
            "résilier",
            "approuver",
            "refuser",
            "rembourser",
            "s'abonner",
            "faire un don",
            "s'inscrire",
        ],
    ),
    (
        "es",
        &[
            "pagar",
            "comprar",
            "pedir",
            "enviar",
            "eliminar",
            "borrar",
            "transferir",
            "confirmar",
            "reservar",
            "publicar",
            "aprobar",
            "rechazar",
            "donar",
            "suscribirse",
            "reembolsar",
            "registrarse",
        ],
    ),
    (
        "it",
        &[
            "paga",
            "pagare",
            "acquista",
            "compra",
            "ordina",
            "invia",
            "elimina",
            "cancella",
            "trasferisci",
            "conferma",
            "prenota",
            "pubblica",
            "approva",
            "rifiuta",
            "dona",
            "rimborsa",
            "iscriviti",
            "abbonati",
        ],
    ),
    (
        "pt",
        &[
            "pagar",
            "comprar",
            "encomendar",
            "enviar",
            "eliminar",
            "excluir",
            "apagar",
            "transferir",
            "confirmar",
            "reservar",
            "publicar",
            "aprovar",
            "rejeitar",
            "doar",
            "reembolsar",
            "assinar",
            "cadastrar",
        ],
    ),
    (
        "nl",
        &[
            "betalen",
            "betaal",
            "kopen",
            "koop",
            "bestellen",
            "bestel",
            "verzenden",
            "verstuur",
            "versturen",
            "verwijderen",
            "verwijder",
            "overmaken",
            "bevestigen",
            "bevestig",
            "boeken",
            "boek",
            "publiceren",
            "goedkeuren",
            "afwijzen",
            "doneren",
            "inschrijven",
        ],
    ),
];

/// The languages that have words here.
pub fn languages() -> impl Iterator<Item = &'static str> {
    WORDS.iter().map(|(language, _)| *language)
}

/// Is what the step presses called by such a word? `chosen`: the languages to look in; none means all.
pub fn says_risk(step: &Step, chosen: &[String]) -> bool {
    let presses = matches!(step.action.method, Method::Click | Method::Dblclick | Method::Press);
    let Some(target) = step.action.target.as_ref().filter(|_| presses) else { return false };
    let name = normalise(&target.name);
    let tables =
        WORDS.iter().filter(|(language, _)| chosen.is_empty() || chosen.iter().any(|one| one == language));
    let mut words = tables.flat_map(|(_, words)| words.iter());
    match target.role.as_str() {
        "button" | "menuitem" => words.any(|word| holds_word(&name, word)),
        // A link is a way to somewhere; one that is called by the word alone is a button in disguise.
        "link" => words.any(|word| name == normalise(word)),
        _ => false,
    }
}

/// `word` stands in `text` between what is no letter and no digit.
fn holds_word(text: &str, word: &str) -> bool {
    let word = normalise(word);
    text.match_indices(&word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_core::script::{Action, Target};
    use rstest::rstest;

    fn press(role: &str, name: &str) -> Step {
        let target = Target { role: role.into(), name: name.into(), ..Target::default() };
        Step { action: Action { target: Some(target), ..Action::default() }, ..Step::default() }
    }

    #[rstest]
    #[case("button", "Pay now", true)]
    #[case("button", "Jetzt zahlungspflichtig bestellen", true)]
    #[case("button", "LÖSCHEN", true)]
    #[case("button", "S'inscrire", true)]
    #[case("menuitem", "Delete…", true)]
    #[case("button", "Payload viewer", false)]
    #[case("button", "Next", false)]
    #[case("link", "Order history", false)]
    #[case("link", "Delete", true)]
    #[case("textbox", "Pay to", false)]
    fn a_word_on_a_button(#[case] role: &str, #[case] name: &str, #[case] risky: bool) {
        assert_eq!(says_risk(&press(role, name), &[]), risky);
    }

    #[test]
    fn only_the_chosen_languages_count() {
        let german = press("button", "Bestellen");
        assert!(says_risk(&german, &["de".into()]));
        assert!(!says_risk(&german, &["en".into(), "fr".into()]));
        assert_eq!(languages().count(), WORDS.len());
    }
}
