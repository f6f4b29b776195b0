//! New names for old: decorated, nearly the same, or of another kind altogether.

use super::chance::Chance;

const FAR: [&str; 40] = [
    "Proceed",
    "Envoyer",
    "Begin tour",
    "Weiter",
    "Archive",
    "Reminders",
    "Quick lookup",
    "Shipments",
    "Ledger",
    "Toggle pane",
    "Refresh feed",
    "Einstellungen",
    "Guardar",
    "次へ",
    "Отправить",
    "إرسال",
    "Payroll",
    "Inspect",
    "Roster",
    "Dispatch",
    "Overview panel",
    "Fetch rows",
    "Backlog",
    "Notify team",
    "Duplicate sheet",
    "Merge records",
    "Calibrate",
    "Sandbox",
    "Tutorials",
    "Careers",
    "Press kit",
    "Rollback",
    "Snapshot",
    "Webhooks",
    "Playground",
    "Milestones",
    "Vouchers",
    "Itinerary",
    "Wardrobe",
    "Telemetry",
];

const MORE: [&str; 10] =
    ["now", "options", "page", "here", "again", "list", "details", "item", "form", "today"];

/// A name of another kind.
pub fn far(chance: &mut Chance) -> String {
    let word = chance.one_of(&FAR).copied().unwrap_or("Proceed");
    if chance.once_in(3) {
        format!("{word} {}", chance.one_of(&FAR).copied().unwrap_or("list"))
    } else {
        word.to_owned()
    }
}

/// The same name with what a redesign adds without meaning anything by it.
pub fn decorated(name: &str, chance: &mut Chance) -> String {
    match chance.below(8) {
        0 => name.to_uppercase(),
        1 => format!("{name}:"),
        2 => format!("{name} *"),
        3 => format!("\u{f105} {name}"),
        4 => name.replace(' ', "\u{a0}"),
        5 => format!("{name} ({})", chance.below(90) + 1),
        6 => format!("{name}…"),
        _ => format!("{name} \u{e5cf}"),
    }
}

/// One word more or less, or another number of it.
pub fn nearly(name: &str, chance: &mut Chance) -> String {
    let words: Vec<&str> = name.split_whitespace().collect();
    match chance.below(4) {
        0 => format!("{name}s"),
        1 if words.len() > 2 => words[..words.len() - 1].join(" "),
        2 => format!("{} {name}", ["My", "New", "Your"][chance.below(3)]),
        _ => format!("{name} {}", chance.one_of(&MORE).copied().unwrap_or("now")),
    }
}

/// The page in another language: every word another, the same word always the same.
pub fn translated(text: &str) -> String {
    let turn = |word: &str| -> String {
        let turned: String = word.chars().rev().filter(|c| c.is_alphanumeric()).collect();
        if turned.chars().count() < 2 { format!("{turned}zo") } else { format!("{}o", turned.to_lowercase()) }
    };
    text.split_whitespace().map(turn).collect::<Vec<_>>().join(" ")
}
