//! Prints `core/src/text/letter_table.rs`: the standard library's case mapping, in runs. To be run again when a newer Rust
//! knows more letters: `cargo run --package cairn-core --example letter_table > core/src/text/letter_table.rs`.

#![expect(clippy::print_stdout, reason = "printing is what it does")]

/// Runs of letters that all map by the same distance: start, count, step (1 or 2), distance.
type Run = (u32, u32, u32, i32);

fn runs(map: fn(char) -> Vec<char>) -> (Vec<Run>, String) {
    let mut single = Vec::new();
    let mut several = String::new();
    for letter in '\u{80}'..=char::MAX {
        match map(letter)[..] {
            [one] if one == letter => {}
            [one] => single.push((u32::from(letter), u32::from(one) as i32 - u32::from(letter) as i32)),
            ref many => {
                several.push(letter);
                several.extend(many);
                several.push(' ');
            }
        }
    }
    let mut runs = Vec::new();
    let mut rest = &single[..];
    while let Some((start, distance)) = rest.first() {
        let length = |step: u32| {
            let fits = |(place, letter): &(u32, &(u32, i32))| **letter == (start + place * step, *distance);
            (0..).zip(rest).take_while(fits).count()
        };
        let (count, step) = (1..=2)
            .map(|step| (length(step), step))
            .max_by_key(|(count, step)| (*count, 2 - step))
            .unwrap_or((1, 1));
        runs.push((*start, count as u32, step, *distance));
        rest = &rest[count..];
    }
    (runs, several)
}

fn print(name: &str, what: &str, runs: &[Run]) {
    println!("\n/// {what}");
    println!("pub(super) const {name}: &[(u32, i32)] = &[");
    for (start, count, step, distance) in runs {
        println!("    ({:#x}, {distance}),", start | (step - 1) << 21 | count << 22);
    }
    println!("];");
}

fn main() {
    let (lower, lower_several) = runs(|letter| letter.to_lowercase().collect());
    let (upper, upper_several) = runs(|letter| letter.to_uppercase().collect());
    println!(
        "//! Small and capital letters beyond ASCII. Printed by `cargo run --package cairn-core --example letter_table`."
    );
    println!("//!");
    println!(
        "//! A run of letters is its start (21 bits), whether every letter or every other one belongs to it (1 bit), how many"
    );
    println!("//! letters it has (10 bits); and the distance to the letter that each becomes.");
    println!("\n#![expect(clippy::unreadable_literal, reason = \"a table that a program printed\")]");
    print("LOWER", "Capital to small.", &lower);
    print("UPPER", "Small to capital.", &upper);
    assert_eq!(lower_several, "İi\u{307} ", "`letters::lower_letter` knows of this one alone");
    println!("\n/// Letters that become several, to capital: the letter, what it becomes, a space.");
    println!("pub(super) const UPPER_SEVERAL: &str = \"{}\";", upper_several.trim_end().escape_unicode());
}
