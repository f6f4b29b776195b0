//! Pages changed under a recorded target, in the browser itself: found again, or declined?

use cairn_core::element::{Element, Usable};
use cairn_tests::drift::score::{Outcome as Worth, Tally};
use cairn_tests::drift::task::Answer;
use cairn_tests::pages::tests_folder;
use cairn_tests::{Failed, Outcome, Pages};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng as _, SeedableRng as _};
use serde_json::json;

use crate::page::{Page, Reached, World};
use crate::say;
use crate::site::Site;

/// Seed of the mutants that are reported, frozen. What is tuned is tuned on others.
pub const SEED: u64 = 20;

/// Mutants that may fail to be made.
const MOST_UNMADE: u32 = 30;

/// What is right for a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Demand {
    Heal,
    HealOrDecline,
    Decline,
}

/// One way to change a page: its name, what is right then, and the change as a function of the right element. One that gives `false`
/// cannot be made there.
struct Operator {
    name: &'static str,
    weight: u32,
    demand: Demand,
    change: &'static str,
}

/// As DRIFT's table has them, as far as a page can be changed by a few lines.
const OPERATORS: [Operator; 13] = [
    Operator {
        name: "wrap in containers",
        weight: 18,
        demand: Demand::Heal,
        change: "(e) => { for (let n = 1 + random() % 3; n > 0; n--) { const box = document.createElement(['div', 'section', 'span'][random() % 3]); e.replaceWith(box); box.append(e); } }",
    },
    Operator {
        name: "insert before, a banner on top",
        weight: 14,
        demand: Demand::Heal,
        change: "(e) => { const banner = document.createElement('div'); banner.textContent = 'We have news for you'; document.body.prepend(banner); const one = document.createElement('div'); one.textContent = 'New here'; e.parentElement.insertBefore(one, e.parentElement.firstChild); }",
    },
    Operator {
        name: "hash classes and ids",
        weight: 14,
        demand: Demand::Heal,
        change: "() => { const hash = (text) => [...text].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) >>> 0, 7).toString(36); const ids = new Map(); for (const one of document.querySelectorAll('[id]')) { ids.set(one.id, 'x' + hash(one.id)); one.id = ids.get(one.id); } for (const one of document.querySelectorAll('*')) { for (const name of ['for', 'aria-labelledby', 'aria-controls', 'aria-describedby', 'list', 'form']) { const value = one.getAttribute(name); if (value) one.setAttribute(name, value.split(' ').map((id) => ids.get(id) ?? id).join(' ')); } for (const name of ['data-testid', 'data-test', 'data-qa', 'data-cy', 'data-test-id']) one.removeAttribute(name); } }",
    },
    Operator {
        name: "move boxes",
        weight: 6,
        demand: Demand::Heal,
        change: "() => { document.body.style.paddingTop = '340px'; document.body.style.paddingLeft = '120px'; }",
    },
    Operator {
        name: "decorate the name",
        weight: 7,
        demand: Demand::Heal,
        change: "(e) => rename(e, (text) => [text.toUpperCase(), text + ':', text + ' *', text + '\\u00a0', '\\ue001 ' + text][random() % 5])",
    },
    Operator {
        name: "swap the tag",
        weight: 6,
        demand: Demand::HealOrDecline,
        change: "(e) => { if (!['BUTTON', 'A'].includes(e.tagName)) return false; const other = document.createElement(e.tagName === 'A' ? 'button' : 'a'); if (other.tagName === 'A') other.href = '#'; else other.type = 'button'; other.append(...e.childNodes); for (const name of ['class', 'aria-label', 'title']) if (e.hasAttribute(name)) other.setAttribute(name, e.getAttribute(name)); e.replaceWith(other); globalThis.theRightOne = other; }",
    },
    Operator {
        name: "relabel nearly",
        weight: 4,
        demand: Demand::HealOrDecline,
        change: "(e) => rename(e, (text) => [text + ' now', text + 's'][random() % 2])",
    },
    Operator {
        name: "relabel far",
        weight: 5,
        demand: Demand::HealOrDecline,
        change: "(e) => rename(e, () => ['Quartz', 'Weiter zum Ziel', 'Fjord'][random() % 3])",
    },
    Operator {
        name: "relabel, a decoy takes the name",
        weight: 3,
        demand: Demand::HealOrDecline,
        change: "(e) => { if (!['BUTTON', 'A'].includes(e.tagName)) return false; const decoy = e.cloneNode(true); decoy.removeAttribute('id'); decoy.removeAttribute('href'); if (decoy.tagName === 'A') decoy.href = '#elsewhere'; const place = document.createElement('footer'); place.append(decoy); document.body.append(place); return rename(e, () => 'Quartz'); }",
    },
    Operator {
        name: "remove the target",
        weight: 8,
        demand: Demand::Decline,
        change: "(e) => { (e.labels?.[0] ?? e).remove(); e.remove(); }",
    },
    Operator {
        name: "a modal over the page",
        weight: 3,
        demand: Demand::Decline,
        change: "() => { const modal = document.createElement('dialog'); modal.innerHTML = '<p>Before you go on</p><button>Understood</button>'; document.body.append(modal); modal.showModal(); }",
    },
    Operator {
        name: "a hidden or disabled copy",
        weight: 2,
        demand: Demand::Heal,
        change: "(e) => { const copy = e.cloneNode(true); copy.removeAttribute('id'); if (random() % 2 && 'disabled' in copy) copy.disabled = true; else copy.style.display = 'none'; e.before(copy); }",
    },
    Operator {
        name: "another page in its place",
        weight: 3,
        demand: Demand::Decline,
        change: "() => { document.body.innerHTML = '<h1>Sign in</h1><label>User <input></label><label>Password <input type=password></label><button>Sign in</button>'; }",
    },
];

/// Pages of the applications that show themselves without a flow.
const HOSTS: [(&str, &[&str]); 4] = [
    ("datasette", &["/", "/zoo", "/zoo/species", "/zoo/species/3"]),
    ("django-admin", &["/admin/login/"]),
    ("flask-admin", &["/admin/", "/admin/author/", "/admin/author/new/", "/admin/author/edit/?id=4"]),
    ("swagger-ui", &["/index.html"]),
];

/// What the changes use.
const TOOLS: &str = "let seed = SEED; const random = () => (seed = (Math.imul(seed, 1103515245) + 12345) >>> 1) >>> 3;
  const rename = (e, change) => {
    if (e.getAttribute('aria-label')) return void e.setAttribute('aria-label', change(e.getAttribute('aria-label')));
    const label = e.labels?.[0] ?? (['BUTTON', 'A', 'SUMMARY'].includes(e.tagName) ? e : null);
    if (!label) return false;
    const texts = document.createTreeWalker(label, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
      if (!text.data.trim() || text.parentElement.closest('select,option,textarea')) continue;
      text.data = change(text.data.trim()); return; }
    return false; };";

/// What came of all mutants, and of those that must be declined.
#[derive(Clone, Debug, Default)]
pub struct Mutated {
    /// Those that must be found again.
    pub heal: Tally,
    /// Those that may be.
    pub either: Tally,
    /// Those that must be declined.
    pub decline: Tally,
}

/// Makes so many mutants of our own pages and replays a step on each.
pub async fn measure(world: &World, wanted: u32, seed: u64) -> Outcome<Mutated> {
    let pages = Pages::serve(tests_folder().join("bench/pages")).await?;
    let mut hosts = vec![pages.url("form.html")];
    let mut sites = Vec::new();
    for (app, paths) in HOSTS {
        let site = Site::start(app, "new").await?;
        hosts.extend(paths.iter().map(|path| format!("{}{path}", site.url)));
        sites.push(site);
    }
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut mutated = Mutated::default();
    let (mut made, mut unmade) = (0, 0);
    while made < wanted {
        let host = &hosts[random.next_u32() as usize % hosts.len()];
        let operator = draw(&mut random);
        let mut page = world.open(host).await?;
        let done = mutant(&mut page, operator, &mut random, host, &mut mutated).await;
        page.close().await;
        match done {
            Ok(done) => made += u32::from(done),
            // Such a page is no mutant; that it happens for ever would be a fault of ours.
            Err(error) if unmade < MOST_UNMADE => {
                unmade += 1;
                say(&format!("  {host}, {}: not made: {error}", operator.name));
            }
            Err(error) => return Err(error),
        }
        if made % 50 == 0 {
            say(&format!("  {made} mutants"));
        }
    }
    Ok(mutated)
}

fn draw(random: &mut ChaCha8Rng) -> &'static Operator {
    let all: u32 = OPERATORS.iter().map(|operator| operator.weight).sum();
    let mut at = random.next_u32() % all;
    let fits = |operator: &&Operator| {
        let here = at < operator.weight;
        at = at.saturating_sub(operator.weight);
        here
    };
    OPERATORS.iter().find(fits).unwrap_or(&OPERATORS[0])
}

/// One mutant; false where the page does not bear this change.
async fn mutant(
    page: &mut Page,
    operator: &Operator,
    random: &mut ChaCha8Rng,
    host: &str,
    mutated: &mut Mutated,
) -> Outcome<bool> {
    let elements = page.everything().await?;
    let usable = |element: &&Element| {
        matches!(element.usable, Usable::Yes | Usable::Unknown)
            && element.frame.is_empty()
            && !element.path.contains("//")
            && !element.name.is_empty()
    };
    let candidates: Vec<&Element> = elements.iter().filter(usable).collect();
    if candidates.is_empty() {
        return Err(Failed::because(format!(
            "{host} has nothing to act on among {} elements",
            elements.len()
        )));
    }
    let element = candidates[random.next_u32() as usize % candidates.len()];
    let target = page.describe(&element.path).await?;
    let seed = random.next_u32() >> 1;
    let change = format!(
        "{{ {} globalThis.theRightOne = document.evaluate({}, document, null, 9).singleNodeValue; \
         Boolean(theRightOne) && (({})(theRightOne) ?? true) !== false }}",
        TOOLS.replace("SEED", &seed.to_string()),
        json!(element.path),
        operator.change
    );
    if page.tab().evaluate_in_page(&change).await? != true {
        return Ok(false);
    }
    let act = if matches!(element.role.as_str(), "textbox" | "searchbox") { "fill" } else { "click" };
    let reached = page.rehearse(&target, act, Some("Ada")).await?;
    let worth = match (operator.demand, reached) {
        (Demand::Decline | Demand::HealOrDecline, Reached::Nothing) => Worth::Right,
        (Demand::Heal, Reached::Nothing) => Worth::Declined,
        (Demand::Decline, _) | (_, Reached::Wrong) => Worth::Wrong,
        (_, Reached::Right) => Worth::Right,
    };
    if worth != Worth::Right {
        let why = page.verdict(&target).await?;
        say(&format!("  {host}, {} {:?}, {}: {worth:?}: {why}", element.role, element.name, operator.name));
    }
    let tally = match operator.demand {
        Demand::Heal => &mut mutated.heal,
        Demand::HealOrDecline => &mut mutated.either,
        Demand::Decline => &mut mutated.decline,
    };
    tally.add(worth, &Answer::plain(None));
    Ok(true)
}
