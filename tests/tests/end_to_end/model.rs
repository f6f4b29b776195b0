//! The tier `llm`: a model drives the demo application from a goal, its run becomes a script, and the script is replayed without it.

use std::fs;

use cairn_host::demo::{Account, Build, DemoSite};
use cairn_host::engine::api::{Cache, Ending, Tier};
use cairn_tests::{Cairn, Errand, ModelServer, Replay, Wire};
use serde_json::json;
use tempfile::TempDir;

/// What the rules carry out, word by word; every model of a real provider reads it, too.
const GOAL: &str = "Sign in with %email% and %password%, open \"Equipment\" in \"All applications\", fill \"Search equipment\" with \
    \"camera\", press \"Search\", follow \"Next page\", press \"Book\" in \"Camera C-7\", select \"Research\" in \"Department\", fill \
    \"Day\" with \"2027-03-15\", tick \"Needs a technician\", fill \"Note for the desk\" with \"Two batteries, please\", press \
    \"Review booking\", press \"Confirm booking\", follow \"Go to handover terms\", tick \"I have read the terms\" and press \"Accept \
    terms\" until you see \"All set\".";

struct Desk {
    site: DemoSite,
    server: ModelServer,
    cairn: Cairn,
    _folder: TempDir,
}

impl Desk {
    async fn set(goal: &str, wire: Wire) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let site = DemoSite::start(0, Build::V1).await.unwrap();
        let server = ModelServer::start().await.unwrap();
        let test = json!({
            "Name": "booking", "Goal": goal, "StartUrl": site.url(),
            "Inputs": {
                "email": {"type": "string", "required": true},
                "password": {"type": "string", "required": true, "secret": true}
            },
            "Configuration": {"ReplayScript": null, "PendingReplayScript": null}
        });
        fs::write(folder.path().join("booking.test.json"), test.to_string()).unwrap();
        let inputs = json!({"email": Account::EMAIL, "password": Account::PASSWORD});
        fs::write(folder.path().join("inputs.json"), inputs.to_string()).unwrap();
        let cairn = server.asked_by(Cairn::in_folder(folder.path()).unwrap(), wire);
        Self { site, server, cairn, _folder: folder }
    }

    async fn run(&self, what: &str, more: &[&str]) -> Replay {
        let mut arguments = vec!["run", what, "--inputs", "inputs.json", "--json"];
        arguments.extend(more);
        Replay::of(self.cairn.run(&arguments).await.unwrap()).unwrap()
    }
}

#[tokio::test]
async fn a_model_books_a_camera_and_its_script_needs_it_no_more() {
    let desk = Desk::set(GOAL, Wire::Anthropic).await;
    let run = desk.run("booking.test.json", &[]).await;
    let first = &run.result;
    assert_eq!(first.result, Ending::Success, "{first:?}\n{:#?}", run.log());
    assert_eq!((first.tier, first.cache), (Tier::Llm, Cache::Miss));
    assert_eq!(first.slot.as_deref(), Some("promoted"));
    assert_eq!(first.model_calls as usize, desk.server.calls());
    let booked = desk.site.state();
    assert!(booked.bookings[0].accepted && booked.bookings[0].equipment == Errand::EQUIPMENT, "{booked:?}");
    assert!(!desk.server.heard().contains(Account::PASSWORD), "the model was told the secret");

    desk.server.reset();
    desk.site.reset();
    let run = desk.run("booking", &[]).await;
    let again = &run.result;
    assert_eq!(again.result, Ending::Success, "{again:?}\n{:#?}", run.log());
    assert_eq!((again.cache, again.model_calls, again.healed.len()), (Cache::Hit, 0, 0), "{again:?}");
    assert_eq!((desk.server.calls(), desk.server.connections()), (0, 0), "a replay asks nobody");
    assert!(desk.site.state().bookings[0].accepted);
}
