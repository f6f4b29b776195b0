//! The providers' wire forms: what is asked in each of them, and how an answer looks.

use serde_json::{Value, json};

/// A protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wire {
    /// `POST /v1/chat/completions`
    OpenAi,
    /// `POST /v1/messages`
    Anthropic,
    /// `POST /v1beta/models/MODEL:generateContent`
    Gemini,
    /// `POST /api/chat`
    Ollama,
}

/// What is asked, whatever the protocol.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// What holds for all questions.
    pub system: String,
    /// This question.
    pub user: String,
    /// There is a picture.
    pub pictured: bool,
}

impl Wire {
    /// Every protocol.
    pub const ALL: [Self; 4] = [Self::OpenAi, Self::Anthropic, Self::Gemini, Self::Ollama];

    /// The value of `CAIRN_MODEL` that speaks it.
    pub fn model(self) -> &'static str {
        match self {
            Self::OpenAi => "openai/rules",
            Self::Anthropic => "anthropic/rules",
            Self::Gemini => "gemini/rules",
            Self::Ollama => "ollama/rules",
        }
    }

    /// The path of `CAIRN_MODEL_URL`.
    pub fn base(self) -> &'static str {
        match self {
            Self::OpenAi | Self::Anthropic => "v1/",
            Self::Gemini => "v1beta/",
            Self::Ollama => "",
        }
    }

    /// Reads a request; `None` where it lacks what the provider demands.
    pub fn read(self, body: &Value) -> Option<Asked> {
        match self {
            Self::OpenAi | Self::Ollama => {
                body["model"].as_str()?;
                let messages = body["messages"].as_array()?;
                let mut asked = Asked::default();
                for message in messages {
                    let (text, pictured) = content(&message["content"]);
                    asked.pictured |= pictured || message["images"].is_array();
                    match message["role"].as_str()? {
                        "system" | "developer" => asked.system.push_str(&text),
                        _ => asked.user.push_str(&text),
                    }
                }
                Some(asked)
            }
            Self::Anthropic => {
                body["max_tokens"].as_u64()?;
                let (user, pictured) = content(&body["messages"].as_array()?.last()?["content"]);
                Some(Asked { system: content(&body["system"]).0, user, pictured })
            }
            Self::Gemini => {
                let (user, pictured) = content(&body["contents"].as_array()?.last()?["parts"]);
                Some(Asked { system: content(&body["systemInstruction"]["parts"]).0, user, pictured })
            }
        }
    }

    /// An answer with this text.
    pub fn answer(self, text: &str, given: usize) -> Value {
        let (given, made) = (given / 4, text.len() / 4 + 1);
        match self {
            Self::OpenAi => json!({
                "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "rules",
                "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
                "usage": {"prompt_tokens": given, "completion_tokens": made, "total_tokens": given + made}
            }),
            Self::Anthropic => json!({
                "id": "msg_1", "type": "message", "role": "assistant", "model": "rules",
                "content": [{"type": "text", "text": text}], "stop_reason": "end_turn",
                "usage": {"input_tokens": given, "output_tokens": made}
            }),
            Self::Gemini => json!({
                "candidates": [{"content": {"role": "model", "parts": [{"text": text}]}, "finishReason": "STOP", "index": 0}],
                "usageMetadata": {"promptTokenCount": given, "candidatesTokenCount": made, "totalTokenCount": given + made},
                "modelVersion": "rules"
            }),
            Self::Ollama => json!({
                "model": "rules", "created_at": "2026-01-01T00:00:00Z", "message": {"role": "assistant", "content": text},
                "done": true, "done_reason": "stop", "prompt_eval_count": given, "eval_count": made
            }),
        }
    }

    /// How the provider says that it gives none.
    pub fn refusal(self, status: u16) -> Value {
        match self {
            Self::OpenAi => {
                json!({"error": {"message": format!("no: {status}"), "type": "error", "code": status}})
            }
            Self::Anthropic => {
                json!({"type": "error", "error": {"type": "api_error", "message": format!("no: {status}")}})
            }
            Self::Gemini => {
                json!({"error": {"code": status, "message": format!("no: {status}"), "status": "INTERNAL"}})
            }
            Self::Ollama => json!({"error": format!("no: {status}")}),
        }
    }
}

/// Text that stands by itself or in parts, and whether a picture stands among them.
fn content(value: &Value) -> (String, bool) {
    if let Some(text) = value.as_str() {
        return (text.to_owned(), false);
    }
    let parts = value.as_array().map(Vec::as_slice).unwrap_or_default();
    let text = parts.iter().filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n");
    let pictured = parts.iter().any(|part| {
        matches!(part["type"].as_str(), Some("image" | "image_url"))
            || part["inline_data"].is_object()
            || part["inlineData"].is_object()
    });
    (text, pictured)
}
