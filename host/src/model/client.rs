//! The one file that knows the client library: OpenAI-compatible servers, Anthropic, Gemini and Ollama behind one trait.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use base64::Engine as _;
use futures_util::future::BoxFuture;
use genai::adapter::AdapterKind;
use genai::chat::{
    ChatMessage, ChatOptions, ChatRequest, ChatResponse, ChatResponseFormat, ContentPart, JsonSpec,
};
use genai::resolver::{AuthData, Endpoint};
use genai::{ModelIden, ServiceTarget};

use super::ask::{Answer, Model, Prompt, Tokens, Trouble};
use super::settings::{Provider, Settings};
use crate::exit::{ErrorKind, Failure};

/// Characters of what a provider says when it refuses.
const SAID: usize = 200;

/// One model at one provider.
pub struct Client {
    inner: genai::Client,
    target: ServiceTarget,
    name: String,
    /// The server takes no schema: the form stands in the question alone.
    plain: AtomicBool,
}

impl Client {
    /// Opens no connection yet.
    ///
    /// # Errors
    /// `Internal` where the system's certificates cannot be read.
    pub fn new(settings: &Settings) -> Result<Self, Failure> {
        let kind = match settings.provider {
            Provider::OpenAi => AdapterKind::OpenAI,
            Provider::Anthropic => AdapterKind::Anthropic,
            Provider::Gemini => AdapterKind::Gemini,
            Provider::Ollama => AdapterKind::Ollama,
        };
        let own = match settings.provider {
            Provider::OpenAi => "https://api.openai.com/v1/",
            Provider::Anthropic => "https://api.anthropic.com/v1/",
            Provider::Gemini => "https://generativelanguage.googleapis.com/v1beta/",
            Provider::Ollama => "http://localhost:11434/",
        };
        let url = settings.url.clone().unwrap_or_else(|| own.to_owned());
        let inner = genai::Client::builder().with_reqwest(transport(&url)?).build();
        Ok(Self {
            inner: inner.map_err(|error| no_client(&error.to_string()))?,
            target: ServiceTarget {
                endpoint: Endpoint::from_owned(url),
                auth: AuthData::from_single(settings.key.0.clone()),
                model: ModelIden::new(kind, settings.model.clone()),
            },
            name: settings.name(),
            plain: AtomicBool::new(false),
        })
    }

    async fn once(&self, prompt: &Prompt, plain: bool) -> Result<Answer, Trouble> {
        let mut parts = vec![ContentPart::from_text(&prompt.user)];
        if let Some(png) = &prompt.picture {
            let text = base64::engine::general_purpose::STANDARD.encode(png);
            parts.push(ContentPart::from_binary_base64("image/png", Arc::<str>::from(text), None));
        }
        let request = ChatRequest::from_system(&prompt.system).append_message(ChatMessage::user(parts));
        let mut options = ChatOptions::default().with_max_tokens(prompt.most_tokens).with_capture_usage(true);
        options.response_format = match self.target.model.adapter_kind {
            _ if plain => None,
            // The library passes no schema on to Ollama.
            AdapterKind::Ollama => Some(ChatResponseFormat::JsonMode),
            _ => Some(JsonSpec::new(prompt.shape.name, prompt.shape.schema.clone()).into()),
        };
        let response = self.inner.exec_chat(self.target.clone(), request, Some(&options)).await;
        response.map_err(|error| trouble(&error)).and_then(answer)
    }
}

impl Model for Client {
    fn name(&self) -> &str {
        &self.name
    }

    fn ask<'a>(&'a self, prompt: &'a Prompt, bound: Duration) -> BoxFuture<'a, Result<Answer, Trouble>> {
        let asking = async move {
            let plain = self.plain.load(Ordering::Relaxed);
            match self.once(prompt, plain).await {
                Err(Trouble::Refused { status: 400, said }) if !plain && is_about_form(&said) => {
                    self.plain.store(true, Ordering::Relaxed);
                    self.once(prompt, true).await
                }
                other => other,
            }
        };
        Box::pin(
            async move { tokio::time::timeout(bound, asking).await.unwrap_or(Err(Trouble::Silent(bound))) },
        )
    }
}

/// HTTP as a key may travel it: no redirects, and no proxy to this machine itself.
fn transport(url: &str) -> Result<reqwest::Client, Failure> {
    // Another part of the process may have chosen already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut builder = reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(Duration::from_secs(10));
    let parsed = url::Url::parse(url).ok();
    let host = parsed.as_ref().and_then(url::Url::host_str).unwrap_or_default();
    if matches!(host, "localhost" | "127.0.0.1" | "[::1]") {
        builder = builder.no_proxy();
    }
    if url.starts_with("http://") {
        // A machine without certificates can still ask a server of its own.
        builder = builder.tls_certs_only([]);
    }
    builder.build().map_err(|error| no_client(&error.to_string()))
}

fn no_client(why: &str) -> Failure {
    let next = "install the system's certificates (Debian: ca-certificates)";
    Failure::new(ErrorKind::Internal, format!("no client for the model could be made: {why}"), next)
}

/// Older servers know no schema for answers.
fn is_about_form(said: &str) -> bool {
    said.contains("format") || said.contains("schema")
}

fn answer(response: ChatResponse) -> Result<Answer, Trouble> {
    let usage = &response.usage;
    let count = |tokens: Option<i32>| tokens.and_then(|tokens| u64::try_from(tokens).ok());
    let tokens = count(usage.prompt_tokens)
        .map(|given| Tokens { given, made: count(usage.completion_tokens).unwrap_or_default() });
    let text = response.into_texts().concat();
    if text.is_empty() {
        return Err(Trouble::Garbled("it holds no text".into()));
    }
    Ok(Answer { text, tokens })
}

fn trouble(error: &genai::Error) -> Trouble {
    let Some(status) = error.status() else { return without_status(error) };
    let said = cut(&body(error));
    let status = status.as_u16();
    if matches!(status, 408 | 409 | 425 | 429) || status >= 500 {
        let wait =
            error.headers().and_then(|headers| headers.get("retry-after")?.to_str().ok()?.parse().ok());
        return Trouble::Busy { status, said, wait: wait.map(Duration::from_secs) };
    }
    Trouble::Refused { status, said }
}

fn without_status(error: &genai::Error) -> Trouble {
    use genai::webc;
    let genai::Error::WebModelCall { webc_error, .. } = error else {
        // The library repeats question and answer in its text: the first line is enough.
        let text = error.to_string();
        let cause = text.rsplit("Cause:").next().unwrap_or(&text).trim();
        return Trouble::Garbled(cut(cause));
    };
    match webc_error {
        webc::Error::ResponseFailedNotJson { content_type, .. } => {
            Trouble::Garbled(format!("it is `{content_type}` and no JSON"))
        }
        webc::Error::ResponseFailedInvalidJson { cause, .. } => Trouble::Garbled(cut(cause)),
        webc::Error::Reqwest(error) if error.is_connect() => Trouble::Unreachable(innermost(error)),
        webc::Error::Reqwest(error) => Trouble::Garbled(innermost(error)),
        other => Trouble::Garbled(cut(&other.to_string())),
    }
}

fn body(error: &genai::Error) -> String {
    use genai::webc::Error::ResponseFailedStatus;
    match error {
        genai::Error::WebModelCall { webc_error: ResponseFailedStatus { body, .. }, .. }
        | genai::Error::HttpError { body, .. } => message(body),
        _ => String::new(),
    }
}

/// Providers say it in `error.message`.
fn message(body: &str) -> String {
    let json = serde_json::from_str::<serde_json::Value>(body).unwrap_or_default();
    let named = [&json["error"]["message"], &json["error"], &json["message"]];
    let found = named.into_iter().find_map(serde_json::Value::as_str);
    found.unwrap_or(body).to_owned()
}

/// The innermost cause alone: the outer ones name the URL, in which some providers take their key.
fn innermost(error: &reqwest::Error) -> String {
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause.and_then(std::error::Error::source) {
        cause = Some(inner);
    }
    cause.map_or_else(|| "the connection broke".to_owned(), |cause| cut(&cause.to_string()))
}

fn cut(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= SAID { line } else { line.chars().take(SAID).chain(['…']).collect() }
}
