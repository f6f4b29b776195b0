//! The errand of the demo, recorded once, replayed in both builds of the probe, on the redesign and before the lookalike.

use cairn_core::script::Method;
use cairn_host::demo::{Account, Build, DemoSite, StateView};
use cairn_host::engine::api::{Cache, Ending, Tier};
use cairn_tests::{Errand, Recorded, Recording, Replay};

use crate::scratch::Scratch;

/// Where a build says which one it is.
const BUILD: [&str; 2] = ["--build-from", "meta:build"];

struct Show {
    scratch: Scratch,
    site: DemoSite,
    recorded: Recorded,
}

impl Show {
    async fn record() -> Self {
        let scratch = Scratch::set().await;
        let site = DemoSite::start(0, Build::V1).await.unwrap();
        let recording = Recording::start(&scratch.stage, "errand", &site.url(), &BUILD).await.unwrap();
        Errand::run(recording.person()).await.unwrap();
        let recorded = recording.stop(&scratch.stage).await.unwrap();
        Self { scratch, site, recorded }
    }

    async fn replay(&self, build: Build, more: &[&str]) -> Replay {
        self.site.reset();
        self.site.deploy(build);
        let port = self.scratch.stage.daemon.port_text();
        let file = self.recorded.file.to_string_lossy();
        let password = format!("password={}", Account::PASSWORD);
        let mut arguments = vec!["run", &file, "--attach", "--json", "--port", &port, "--input", &password];
        arguments.extend(BUILD);
        arguments.extend(more);
        Replay::of(self.scratch.stage.cairn.run(&arguments).await.unwrap()).unwrap()
    }
}

fn is_done(state: &StateView) -> bool {
    let [booking] = state.bookings.as_slice() else { return false };
    booking.equipment == Errand::EQUIPMENT
        && booking.department == Errand::DEPARTMENT
        && booking.day == Errand::DAY
        && booking.note == Errand::NOTE
        && booking.technician
        && booking.accepted
        && state.discarded.is_empty()
}

#[tokio::test]
async fn the_errand_is_recorded_and_replayed_on_three_builds() {
    let show = Show::record().await;
    assert!(is_done(&show.site.state()), "the person did it: {:?}", show.site.state());
    the_script_is_what_the_person_did(&show);

    for engine in ["wasm", "js"] {
        let replay = show.replay(Build::V1, &["--engine", engine]).await;
        if engine == "wasm" {
            // The page of the terms lets no WASM in: a run that may use nothing else says so, there.
            assert_eq!((replay.code, replay.result.step), (1, Some(15)), "{:?}", replay.result);
            let observed = replay.result.observed.unwrap_or_default();
            assert!(observed.contains("Content-Security-Policy forbids WebAssembly"), "{observed}");
            continue;
        }
        assert_eq!(replay.code, 0, "{engine}: {:?}\n{}", replay.result, replay.errors);
        assert!(is_done(&show.site.state()), "{engine}: {:?}", show.site.state());
    }

    let replay = show.replay(Build::V1, &[]).await;
    let steps = show.recorded.script.script.steps.len();
    assert_eq!((replay.code, replay.result.healed.len()), (0, 0), "{:?}\n{}", replay.result, replay.errors);
    assert!(
        replay.said(&format!("Replay Completed: all steps hit ({steps} steps, 0 healed, 0 diverged)")),
        "{:?}",
        replay.log()
    );
    assert_eq!((replay.result.tier, replay.result.model_calls), (Tier::Replay, 0));
    assert!(is_done(&show.site.state()));

    let replay = show.replay(Build::V2, &[]).await;
    assert_eq!(
        (replay.code, replay.result.cache),
        (0, Cache::Healed),
        "{:?}\n{}",
        replay.result,
        replay.errors
    );
    assert_eq!((replay.result.tier, replay.result.model_calls), (Tier::ReplayWithHeal, 0));
    assert!(is_done(&show.site.state()), "{:?}", show.site.state());

    let replay = show.replay(Build::V3, &[]).await;
    assert_eq!((replay.code, replay.result.result), (1, Ending::HardFailure), "{:?}", replay.result);
    let needed =
        show.recorded.script.script.steps.iter().position(|step| {
            step.action.target.as_ref().is_some_and(|target| target.name == "Confirm booking")
        });
    assert_eq!(replay.result.step, needed.map(|place| place as u32 + 1));
    let state = show.site.state();
    assert!(state.bookings.is_empty() && state.discarded.is_empty(), "{state:?}");
    let last = state.events.iter().rfind(|event| event.kind == "click").map(|event| event.name.as_str());
    assert_eq!(last, Some("Review booking"));

    // A run that may not heal declines on the redesign, before it has done anything wrong.
    let replay = show.replay(Build::V2, &["--heal", "off"]).await;
    assert_eq!((replay.code, replay.result.healed.len()), (1, 0), "{:?}", replay.result);
    assert!(show.site.state().bookings.is_empty());
    show.scratch.stage.chrome.stop().await;
}

fn the_script_is_what_the_person_did(show: &Show) {
    use Method::{Check, Click, Fill, Select};
    let script = &show.recorded.script.script;
    let did: Vec<(Method, &str)> = script
        .steps
        .iter()
        .map(|step| {
            (step.action.method, step.action.target.as_ref().map_or("", |target| target.name.as_str()))
        })
        .collect();
    let wanted = [
        (Fill, "Email"),
        (Fill, "Password"),
        (Click, "Sign in"),
        (Click, "Equipment"),
        (Fill, "Search equipment"),
        (Click, "Search"),
        (Click, "Next page"),
        (Click, "Book"),
        (Select, "Department"),
        (Fill, "Day"),
        (Check, "Needs a technician"),
        (Fill, "Note for the desk"),
        (Click, "Review booking"),
        (Click, "Confirm booking"),
        (Click, "Go to handover terms"),
        (Check, "I have read the terms"),
        (Click, "Accept terms"),
    ];
    assert_eq!(did, wanted);
    let twin = script.steps[3].action.target.as_ref().unwrap();
    assert_eq!((twin.scope.as_deref(), twin.twins), (Some("group:All applications"), Some(2)));
    let row = script.steps[7].action.target.as_ref().unwrap();
    assert_eq!((row.row_key.as_deref(), row.twins), (Some(Errand::EQUIPMENT), Some(4)));
    assert!(script.inputs.get("password").is_some_and(|input| input.secret));
    assert!(!script.goal_postconditions.is_empty());
    // The password is in no byte that was stored.
    for file in files_below(show.scratch.folder.path()) {
        let bytes = std::fs::read(&file).unwrap_or_default();
        let holds = bytes.windows(Account::PASSWORD.len()).any(|part| part == Account::PASSWORD.as_bytes());
        assert!(!holds, "{} holds the password", file.display());
    }
}

fn files_below(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files_below(&path));
        } else {
            found.push(path);
        }
    }
    found
}
