//! The acts of the demo: record, replay as recorded, replay on the redesign, replay before the lookalike.

use std::fs;
use std::path::{Path, PathBuf};

use cairn_core::script::Script;
use cairn_host::demo::{Account, Booking, Build, DemoSite, StateView};
use cairn_host::engine::api::{Ending, Tier};
use cairn_tests::{Errand, Failed, Outcome, Recorded, Recording, Replay, Stage};

use super::claims::Claims;
use super::paper::Paper;
use super::table::Row;

/// The control that build v3 lacks.
const NEEDED: &str = "Confirm booking";
/// What stands in its place.
const LOOKALIKE: &str = "Discard booking";

/// Where a build says which one it is.
const BUILD: [&str; 2] = ["--build-from", "meta:build"];

/// The application and the stage.
pub struct Demo {
    site: DemoSite,
    stage: Stage,
}

impl Demo {
    /// Starts the application, the daemon and the person's browser, and pairs them.
    pub async fn prepare(paper: &Paper, folder: PathBuf) -> Outcome<Self> {
        paper.act("Setting the stage");
        if folder.exists() {
            fs::remove_dir_all(&folder).map_err(Failed::io(format!("removing {}", folder.display())))?;
        }
        fs::create_dir_all(&folder).map_err(Failed::io(format!("making {}", folder.display())))?;
        let site =
            DemoSite::start(0, Build::V1).await.map_err(Failed::io("starting the demo application"))?;
        paper.note(&format!("application   {} (a lending desk, build v1)", site.url()));
        let stage = Stage::set(&folder).await?;
        paper.note(&format!("daemon        port {}", stage.daemon.port()));
        paper.note("browser       a real Chromium with the extension, paired by opening one link");
        Ok(Self { site, stage })
    }

    /// A person books a camera while Cairn watches.
    pub async fn record(&self, paper: &Paper, claims: &mut Claims) -> Outcome<Recorded> {
        paper.act("1. A person books a camera, once; Cairn watches (trusted mouse and keys)");
        let recording = Recording::start(&self.stage, "book-a-camera", &self.site.url(), &BUILD).await?;
        Errand::run(recording.person()).await?;
        let recorded = recording.stop(&self.stage).await?;
        let script = &recorded.script.script;
        for (place, step) in script.steps.iter().enumerate() {
            let weak = step.weak.as_ref().map(|why| format!("  (weak: {why})")).unwrap_or_default();
            paper.note(&format!("{:>3}  {}{weak}", place + 1, step.instruction));
        }
        let text = fs::read_to_string(&recorded.file).map_err(Failed::io("reading the script"))?;
        claims.claim(paper, "the application holds the booking", is_done(&self.site.state()));
        claims.claim(paper, "the script does not hold the password", !text.contains(Account::PASSWORD));
        claims.claim(
            paper,
            format!("the end state is checked by {} conditions", script.goal_postconditions.len()),
            !script.goal_postconditions.is_empty(),
        );
        Ok(recorded)
    }

    /// The same build: everything is where it was.
    pub async fn replay_as_recorded(
        &self,
        paper: &Paper,
        claims: &mut Claims,
        recorded: &Recorded,
    ) -> Outcome<Row> {
        paper.act("2. Replay on the same build, in a fresh browser of its own");
        let replay = self.replay(paper, Build::V1, recorded).await?;
        let steps = recorded.script.script.steps.len();
        let line = format!("Replay Completed: all steps hit ({steps} steps, 0 healed, 0 diverged)");
        claims.claim(paper, "the run passed", replay.code == 0 && replay.result.result == Ending::Success);
        claims.claim(paper, format!("it says: {line}"), replay.said(&line));
        claims.claim(paper, "0 healed", replay.result.healed.is_empty());
        claims.claim(
            paper,
            "the tier is replay: the build is the recorded one",
            replay.result.tier == Tier::Replay,
        );
        claims.claim(paper, "the application holds the booking", is_done(&self.site.state()));
        claims.claim(paper, "model calls: 0", replay.result.model_calls == 0);
        Ok(Row { build: Build::V1, result: replay.result })
    }

    /// The redesign: other structure, ids, order, roles and names; the same errand.
    pub async fn replay_redesign(
        &self,
        paper: &Paper,
        claims: &mut Claims,
        recorded: &Recorded,
    ) -> Outcome<Row> {
        paper.act("3. Replay on the redesign");
        let replay = self.replay(paper, Build::V2, recorded).await?;
        for heal in &replay.result.healed {
            let (step, confidence) = (heal.step, heal.confidence);
            paper.note(&format!("{step:>3}  {}: {} ({confidence})", heal.instruction, heal.reason));
        }
        let healed = replay.result.healed.len();
        claims.claim(paper, "the run passed", replay.code == 0 && replay.result.result == Ending::Success);
        claims.claim(paper, format!("{healed} steps were healed, and it says so"), healed > 0);
        claims.claim(
            paper,
            "the tier is replay-with-heal: the build is another one",
            replay.result.tier == Tier::ReplayWithHeal,
        );
        claims.claim(paper, "the application holds the right booking", is_done(&self.site.state()));
        claims.claim(paper, "model calls: 0", replay.result.model_calls == 0);
        Ok(Row { build: Build::V2, result: replay.result })
    }

    /// The lookalike: same id, same look, same place, other meaning.
    pub async fn replay_lookalike(
        &self,
        paper: &Paper,
        claims: &mut Claims,
        recorded: &Recorded,
    ) -> Outcome<Row> {
        paper.act(&format!("4. Replay where “{NEEDED}” is gone and “{LOOKALIKE}” stands in its place"));
        let needed = step_of(&recorded.script.script, NEEDED)?;
        let replay = self.replay(paper, Build::V3, recorded).await?;
        let result = &replay.result;
        let state = self.site.state();
        let pressed: Vec<&str> = state
            .events
            .iter()
            .filter(|event| event.kind == "click")
            .map(|event| event.name.as_str())
            .collect();
        claims.claim(paper, "the run failed, with exit code 1", replay.code == 1);
        claims.claim(
            paper,
            format!("it declined at step {needed}, “{NEEDED}”"),
            result.result == Ending::HardFailure && result.step == Some(needed),
        );
        claims.claim(
            paper,
            format!(
                "the application's journal: “{LOOKALIKE}” was not pressed, nothing was after “Review booking”"
            ),
            pressed.last() == Some(&"Review booking") && !pressed.contains(&LOOKALIKE),
        );
        let untouched = state.bookings.is_empty() && state.discarded.is_empty();
        claims.claim(paper, "the application's state: nothing booked, nothing discarded", untouched);
        claims.claim(paper, "model calls: 0", result.model_calls == 0);
        Ok(Row { build: Build::V3, result: replay.result })
    }

    async fn replay(&self, paper: &Paper, build: Build, recorded: &Recorded) -> Outcome<Replay> {
        self.site.reset();
        self.site.deploy(build);
        let data = self.stage.cairn.folder().join("data");
        let mut arguments =
            vec!["run".to_owned(), path(&recorded.file), "--json".into(), "--data".into(), path(&data)];
        arguments.extend(BUILD.map(str::to_owned));
        // The only secrets of this errand are passwords, and there is one account.
        for (name, input) in &recorded.script.script.inputs {
            if input.secret {
                arguments.extend(["--input".to_owned(), format!("{name}={}", Account::PASSWORD)]);
            }
        }
        let replay = Replay::of(self.stage.cairn.run(&arguments).await?)?;
        for line in replay.log() {
            paper.note(line);
        }
        Ok(replay)
    }

    /// Ends everything.
    pub async fn end(self) {
        self.stage.chrome.stop().await;
    }
}

fn path(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// The number of the step on the control with this name.
fn step_of(script: &Script, name: &str) -> Outcome<u32> {
    let place = script
        .steps
        .iter()
        .position(|step| step.action.target.as_ref().is_some_and(|target| target.name == name))
        .ok_or_else(|| Failed::because(format!("the recording has no step on {name:?}")))?;
    Ok(place as u32 + 1)
}

/// True where the errand is done exactly once, and nothing else.
fn is_done(state: &StateView) -> bool {
    let [booking] = state.bookings.as_slice() else { return false };
    let wanted = Booking {
        number: booking.number,
        equipment: Errand::EQUIPMENT.into(),
        department: Errand::DEPARTMENT.into(),
        day: Errand::DAY.into(),
        technician: true,
        note: Errand::NOTE.into(),
        accepted: true,
    };
    *booking == wanted && state.discarded.is_empty()
}
