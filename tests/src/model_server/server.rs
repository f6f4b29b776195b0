//! The server itself.

use std::collections::VecDeque;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use super::mood::Mood;
use super::protocol::{Asked, Wire};
use super::rules;
use crate::{Cairn, Failed, Outcome};

/// The longest request that is read.
const LONGEST: usize = 16 << 20;

/// A running server. It ends when dropped.
pub struct ModelServer {
    port: u16,
    shared: Arc<Mutex<Shared>>,
    server: JoinHandle<()>,
}

#[derive(Default)]
struct Shared {
    /// For calls to come, in order; afterwards `mood` holds.
    next: VecDeque<Mood>,
    mood: Mood,
    asked: Vec<Asked>,
    connections: u32,
}

impl ModelServer {
    /// Serves a free port of loopback.
    pub async fn start() -> Outcome<Self> {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let listener = TcpListener::bind(address).await.map_err(Failed::io("binding a free port"))?;
        let port = listener.local_addr().map_err(Failed::io("asking for the port"))?.port();
        let shared = Arc::new(Mutex::new(Shared::default()));
        let application = Router::new().fallback(serve).with_state(Arc::clone(&shared));
        let counted = Arc::clone(&shared);
        let listener = axum::serve::ListenerExt::tap_io(listener, move |_| lock(&counted).connections += 1);
        let server = tokio::spawn(async move {
            // A server that cannot accept any more shows in the test that asks it.
            let _ = axum::serve(listener, application).await;
        });
        Ok(Self { port, shared, server })
    }

    /// `cairn` as one that asks this server in this protocol.
    #[must_use]
    pub fn asked_by(&self, cairn: Cairn, wire: Wire) -> Cairn {
        let url = format!("http://127.0.0.1:{}/{}", self.port, wire.base());
        cairn
            .with("CAIRN_MODEL", wire.model())
            .with("CAIRN_MODEL_URL", url)
            .with("CAIRN_MODEL_KEY", "none-needed")
    }

    /// From now on it behaves so.
    pub fn be(&self, mood: Mood) {
        lock(&self.shared).mood = mood;
    }

    /// The next calls are answered so, one after the other.
    pub fn then(&self, moods: impl IntoIterator<Item = Mood>) {
        lock(&self.shared).next.extend(moods);
    }

    /// Calls so far.
    pub fn calls(&self) -> usize {
        lock(&self.shared).asked.len()
    }

    /// Connections so far, whatever came over them.
    pub fn connections(&self) -> u32 {
        lock(&self.shared).connections
    }

    /// Forgets what it was asked, and is sound again.
    pub fn reset(&self) {
        let mut shared = lock(&self.shared);
        shared.next.clear();
        shared.asked.clear();
        shared.connections = 0;
        shared.mood = Mood::Sound;
    }

    /// Everything that it was told.
    pub fn heard(&self) -> String {
        let shared = lock(&self.shared);
        shared
            .asked
            .iter()
            .flat_map(|asked| [asked.system.as_str(), "\n", asked.user.as_str(), "\n"])
            .collect()
    }

    /// True where one of the questions had a picture.
    pub fn saw_a_picture(&self) -> bool {
        lock(&self.shared).asked.iter().any(|asked| asked.pictured)
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        self.server.abort();
    }
}

fn lock(shared: &Mutex<Shared>) -> MutexGuard<'_, Shared> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Which protocol is spoken, and whether the key is where the provider wants it.
fn wire(path: &str, headers: &HeaderMap) -> Option<(Wire, bool)> {
    let has = |name: &str| headers.get(name).is_some_and(|value| !value.is_empty());
    if path.ends_with("/chat/completions") {
        Some((Wire::OpenAi, has("authorization")))
    } else if path.ends_with("/messages") {
        Some((Wire::Anthropic, has("x-api-key") && has("anthropic-version")))
    } else if path.ends_with(":generateContent") {
        Some((Wire::Gemini, has("x-goog-api-key")))
    } else if path.ends_with("/api/chat") {
        Some((Wire::Ollama, true))
    } else {
        None
    }
}

async fn serve(State(shared): State<Arc<Mutex<Shared>>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let Some((wire, keyed)) = wire(parts.uri.path(), &parts.headers) else {
        return answered(StatusCode::NOT_FOUND, &json!({"error": {"message": "no such path"}}));
    };
    let body = axum::body::to_bytes(body, LONGEST).await.ok();
    let body = body.and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok());
    let Some(asked) = body.as_ref().and_then(|body| wire.read(body)) else {
        return answered(StatusCode::BAD_REQUEST, &wire.refusal(400));
    };
    if !keyed {
        return answered(StatusCode::UNAUTHORIZED, &wire.refusal(401));
    }
    let mood = {
        let mut shared = lock(&shared);
        shared.asked.push(asked.clone());
        shared.next.pop_front().unwrap_or_else(|| shared.mood.clone())
    };
    reply(wire, &asked, mood).await
}

async fn reply(wire: Wire, asked: &Asked, mood: Mood) -> Response {
    let mut answer = rules::answer(asked);
    let mut text = answer.to_string();
    match mood {
        Mood::Sound => {}
        Mood::Late(span) => tokio::time::sleep(span).await,
        Mood::Wrong => {
            let count = asked.user.lines().filter(|line| line.starts_with('[')).count() as i64;
            let index = answer["index"].as_i64().unwrap_or_default();
            answer["index"] = Value::from((index + 1).rem_euclid(count.max(1)));
            text = answer.to_string();
        }
        Mood::OutOfRange => {
            answer["index"] = Value::from(9999);
            if answer["act"].is_string() {
                answer["act"] = Value::from("click");
            }
            text = answer.to_string();
        }
        Mood::HalfJson => text.truncate(text.len() / 2),
        Mood::Chatter => "Of course! I would press the button that says so.".clone_into(&mut text),
        Mood::Contrary => {
            if answer["agrees"].is_boolean() {
                answer = json!({"agrees": false, "why": "the note is not what was asked for"});
            }
            text = answer.to_string();
        }
        Mood::Obedient => text = rules::obey(asked).map_or(text, |obeying| obeying.to_string()),
        Mood::Status(status) => {
            let code = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
            return answered(code, &wire.refusal(status));
        }
        Mood::Foreign => return answered(StatusCode::OK, &json!({"hello": "world"})),
        Mood::Never => std::future::pending::<()>().await,
    }
    let given = asked.system.len() + asked.user.len();
    answered(StatusCode::OK, &wire.answer(&text, given))
}

fn answered(status: StatusCode, body: &Value) -> Response {
    (status, [(header::CONTENT_TYPE, "application/json")], body.to_string()).into_response()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use cairn_host::model::{Client, Glance, Model as _, Settings, Trouble, choosing};

    use super::*;

    fn client(server: &ModelServer, wire: Wire) -> Client {
        let url = format!("http://127.0.0.1:{}/{}", server.port, wire.base());
        let settings = Settings::read(|name| match name {
            "CAIRN_MODEL" => Some(wire.model().to_owned()),
            "CAIRN_MODEL_URL" => Some(url.clone()),
            "CAIRN_MODEL_KEY" => Some("k".to_owned()),
            _ => None,
        });
        Client::new(&settings.unwrap().unwrap()).unwrap()
    }

    #[tokio::test]
    async fn each_protocol_is_spoken_as_its_provider_speaks_it() {
        let server = ModelServer::start().await.unwrap();
        let lines = vec!["button \"Close\"".to_owned(), "button \"Store it\"".to_owned()];
        let picture = Some(Arc::from([137_u8, 80, 78, 71].as_slice()));
        let glance = Glance { lines, ..Glance::default() };
        let mut prompt =
            choosing("Save", "click button \"Save it\"", &["button \"Save it\"".to_owned()], &glance);
        prompt.picture = picture;
        let bound = Duration::from_secs(5);
        for wire in Wire::ALL {
            server.reset();
            let client = client(&server, wire);
            let answer = client.ask(&prompt, bound).await.unwrap();
            assert!(answer.text.contains("\"index\":1"), "{wire:?}: {}", answer.text);
            assert!(
                answer.tokens.is_some_and(|tokens| tokens.given > 0 && tokens.made > 0),
                "{wire:?}: {answer:?}"
            );
            assert!(server.saw_a_picture(), "{wire:?}: the picture did not arrive");
            server.be(Mood::Status(429));
            let busy = client.ask(&prompt, bound).await;
            assert!(matches!(busy, Err(Trouble::Busy { status: 429, .. })), "{wire:?}: {busy:?}");
            server.be(Mood::Status(401));
            let refused = client.ask(&prompt, bound).await;
            assert!(
                matches!(&refused, Err(Trouble::Refused { status: 401, said }) if said == "no: 401"),
                "{wire:?}: {refused:?}"
            );
            server.be(Mood::Never);
            let silent = client.ask(&prompt, Duration::from_millis(200)).await;
            assert!(matches!(silent, Err(Trouble::Silent(_))), "{wire:?}: {silent:?}");
            server.be(Mood::Foreign);
            let foreign = client.ask(&prompt, bound).await;
            assert!(matches!(foreign, Err(Trouble::Garbled(_))), "{wire:?}: {foreign:?}");
        }
        let gone = client(&server, Wire::OpenAi);
        drop(server);
        let unreachable = gone.ask(&prompt, bound).await;
        assert!(matches!(unreachable, Err(Trouble::Unreachable(_) | Trouble::Garbled(_))), "{unreachable:?}");
    }
}
