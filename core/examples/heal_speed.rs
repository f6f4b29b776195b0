//! How long a heal takes: `cargo run --release -p cairn-core --example heal_speed`. One JSON line a size.

use std::time::Instant;

use cairn_core::element::{Element, Scope, Usable};
use cairn_core::ladder::{Heal, Index, NoSelectors, describe, resolve};

/// Heals a size is measured by.
const HEALS: usize = 1_000;

fn main() {
    for size in [1_000, 10_000, 100_000] {
        let began = Instant::now();
        let index = Index::new(page(size));
        let built = began.elapsed();
        let mut times: Vec<u128> = (0..HEALS)
            .map(|number| {
                let target = drifted(&index, number, number * 7 % size);
                let began = Instant::now();
                std::hint::black_box(resolve(&target, &index, &NoSelectors, Heal::Ladder));
                began.elapsed().as_nanos()
            })
            .collect();
        times.sort_unstable();
        anstream_line(&format!(
            "{{\"candidates\":{size},\"buildMs\":{:.2},\"medianUs\":{:.1},\"p95Us\":{:.1},\"worstUs\":{:.1}}}",
            built.as_secs_f64() * 1e3,
            times[HEALS / 2] as f64 / 1e3,
            times[HEALS * 95 / 100] as f64 / 1e3,
            times[HEALS - 1] as f64 / 1e3,
        ));
    }
}

fn anstream_line(text: &str) {
    use std::io::Write as _;
    let _ = writeln!(std::io::stdout(), "{text}");
}

/// A long list with a few controls a row: a tenth of the elements are twins of one another.
fn page(size: usize) -> Vec<Element> {
    (0..size)
        .map(|at| {
            let row = at / 10;
            let (role, name) = match at % 10 {
                0 => ("button", "Edit".to_owned()),
                1 => ("link", format!("Invoice {row} of customer {}", row % 97)),
                2 => ("checkbox", format!("Select invoice {row}")),
                other => ("button", format!("Action {other} for {row}")),
            };
            Element {
                role: role.into(),
                name,
                tag: "button".into(),
                scope: Some(Scope { label: format!("table:Invoices {}", row % 5), weak: false }),
                usable: Usable::Yes,
                path: format!("/html/body/table/tr[{row}]/td[{}]/button", at % 10),
                row_key: Some(format!("Invoice {row}")),
                heading: Some("Invoices".into()),
                beside: Some(format!("Invoice {row} of customer {} open 12 EUR", row % 97)),
                ..Element::default()
            }
        })
        .collect()
}

/// A target of the page, each fourth one renamed so that no exact name is left and every rung is tried.
fn drifted(index: &Index, number: usize, place: usize) -> cairn_core::script::Target {
    let mut target = describe(index, place);
    if number.is_multiple_of(4) {
        target.name.push_str(" now");
        target.twins = Some(1);
    }
    target
}
