//! Which model is asked, and at what cost: from the environment, so that no key ever stands in a file or a command line.

use std::fmt;
use std::time::Duration;

use super::budget::{Limits, Prices};
use crate::exit::{ErrorKind, Failure};

/// The wire protocols that are spoken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Provider {
    /// Chat completions, as OpenAI and most others speak them.
    OpenAi,
    /// Anthropic's messages.
    Anthropic,
    /// Gemini's `generateContent`.
    Gemini,
    /// Ollama's chat.
    Ollama,
}

impl Provider {
    const ALL: [(Self, &str, &str); 4] = [
        (Self::OpenAi, "openai", "OPENAI_API_KEY"),
        (Self::Anthropic, "anthropic", "ANTHROPIC_API_KEY"),
        (Self::Gemini, "gemini", "GEMINI_API_KEY"),
        (Self::Ollama, "ollama", "OLLAMA_API_KEY"),
    ];
}

/// A key. It is never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(pub(super) String);

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(…)")
    }
}

/// The model that is configured.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// How it is spoken to.
    pub provider: Provider,
    /// Its name at the provider.
    pub model: String,
    /// Where, if not at the provider's own address. Ends with a slash.
    pub url: Option<String>,
    /// Bound of one call.
    pub bound: Duration,
    /// What tokens cost.
    pub prices: Option<Prices>,
    /// What a run may spend, where the caller says nothing else.
    pub limits: Limits,
    /// A passing run is a pass only where the model, asked once more, agrees.
    pub judge: bool,
    pub(super) key: Key,
}

impl Settings {
    /// `None` where no model is configured.
    ///
    /// # Errors
    /// `Usage`, with the variable.
    pub fn from_environment() -> Result<Option<Self>, Failure> {
        Self::read(|name| std::env::var(name).ok())
    }

    /// From variables of the environment.
    ///
    /// # Errors
    /// `Usage`, with the variable.
    pub fn read(get: impl Fn(&str) -> Option<String>) -> Result<Option<Self>, Failure> {
        let get = |name: &str| get(name).map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
        let Some(named) = get("CAIRN_MODEL") else { return Ok(None) };
        let known = named.split_once('/').filter(|(_, model)| !model.is_empty()).and_then(|(word, model)| {
            let found = Provider::ALL.iter().find(|(_, name, _)| *name == word)?;
            Some((found.0, found.2, model.to_owned()))
        });
        let Some((provider, own_key, model)) = known else {
            let next = "write it as PROVIDER/MODEL with openai, anthropic, gemini or ollama as the provider";
            return Err(wrong("CAIRN_MODEL", &format!("`{named}` names no model"), next));
        };
        let url = get("CAIRN_MODEL_URL").map(|url| base_url(&url)).transpose()?;
        // A server of one's own may need no key; the providers do.
        let keyless = provider == Provider::Ollama || url.is_some();
        let key = match get("CAIRN_MODEL_KEY").or_else(|| get(own_key)) {
            Some(key) => key,
            None if keyless => "none".to_owned(),
            None => {
                let message = format!("{named} needs a key");
                return Err(wrong(own_key, &message, "set this variable to your key"));
            }
        };
        let defaults = Limits::default();
        let limits = Limits {
            steps: number(&get, "CAIRN_MODEL_STEPS")?.unwrap_or(defaults.steps),
            tokens: number(&get, "CAIRN_MODEL_TOKENS")?.unwrap_or(defaults.tokens),
            money: number(&get, "CAIRN_MODEL_MONEY")?,
            time_ms: number::<f64>(&get, "CAIRN_MODEL_TIME")?
                .map_or(defaults.time_ms, |seconds| (seconds.max(0.0) * 1000.0) as u64),
        };
        let prices = get("CAIRN_MODEL_PRICE").map(|text| prices(&text)).transpose()?;
        let settings = Self {
            provider,
            model,
            url,
            bound: number::<f64>(&get, "CAIRN_MODEL_TIMEOUT")?.map_or(Duration::from_mins(1), |seconds| {
                Duration::from_secs_f64(seconds.clamp(0.1, 3600.0))
            }),
            prices,
            limits,
            judge: get("CAIRN_MODEL_JUDGE").is_some_and(|text| text != "0"),
            key: Key(key),
        };
        settings.check(&settings.limits)?;
        Ok(Some(settings))
    }

    /// Money can be counted only where the prices are known.
    ///
    /// # Errors
    /// `Usage`.
    pub fn check(&self, limits: &Limits) -> Result<(), Failure> {
        if limits.money.is_some() && self.prices.is_none() {
            let message = "there is a budget of money, and the price of tokens is not known";
            let next = "set it to dollars per million tokens, as QUESTION,ANSWER: 3,15";
            return Err(wrong("CAIRN_MODEL_PRICE", message, next));
        }
        Ok(())
    }

    /// `provider/model`.
    pub fn name(&self) -> String {
        let word = Provider::ALL.iter().find(|(provider, ..)| *provider == self.provider);
        format!("{}/{}", word.map_or("", |(_, word, _)| word), self.model)
    }
}

fn base_url(text: &str) -> Result<String, Failure> {
    let parsed = url::Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
    let Some(url) = parsed else {
        return Err(wrong(
            "CAIRN_MODEL_URL",
            &format!("`{text}` is no address"),
            "give http://… or https://…",
        ));
    };
    let text = url.to_string();
    Ok(if text.ends_with('/') { text } else { format!("{text}/") })
}

fn prices(text: &str) -> Result<Prices, Failure> {
    let read =
        |part: &str| part.trim().parse::<f64>().ok().filter(|price| price.is_finite() && *price >= 0.0);
    let both = text.split_once(',').and_then(|(given, made)| Some((read(given)?, read(made)?)));
    let (given, made) = both.ok_or_else(|| {
        let next = "give dollars per million tokens, as QUESTION,ANSWER: 3,15";
        wrong("CAIRN_MODEL_PRICE", &format!("`{text}` is no price"), next)
    })?;
    Ok(Prices { given, made })
}

fn number<T: std::str::FromStr>(
    get: &impl Fn(&str) -> Option<String>,
    name: &'static str,
) -> Result<Option<T>, Failure> {
    let Some(text) = get(name) else { return Ok(None) };
    text.parse().map(Some).map_err(|_| wrong(name, &format!("`{text}` is no number"), "give a number"))
}

fn wrong(variable: &str, message: &str, next: &str) -> Failure {
    Failure::new(ErrorKind::Usage, message, next).at(variable)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    fn read(pairs: &[(&str, &str)]) -> Result<Option<Settings>, Failure> {
        Settings::read(|name| {
            pairs.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn a_key_alone_is_no_model_and_nothing_prints_it() {
        assert_eq!(read(&[("ANTHROPIC_API_KEY", "sk-1")]).unwrap(), None);
        let settings = read(&[("CAIRN_MODEL", "anthropic/claude"), ("ANTHROPIC_API_KEY", "sk-1")]);
        let settings = settings.unwrap().unwrap();
        assert_eq!((settings.name().as_str(), settings.key.0.as_str()), ("anthropic/claude", "sk-1"));
        assert!(!format!("{settings:?}").contains("sk-1"));
    }

    #[test]
    fn a_server_of_ones_own_needs_no_key() {
        let settings = read(&[("CAIRN_MODEL", "openai/any"), ("CAIRN_MODEL_URL", "http://127.0.0.1:1/v1")]);
        assert_eq!(settings.unwrap().unwrap().url.as_deref(), Some("http://127.0.0.1:1/v1/"));
        assert!(read(&[("CAIRN_MODEL", "ollama/llama3")]).unwrap().is_some());
    }

    #[rstest]
    #[case(&[("CAIRN_MODEL", "claude")], "CAIRN_MODEL")]
    #[case(&[("CAIRN_MODEL", "bard/x")], "CAIRN_MODEL")]
    #[case(&[("CAIRN_MODEL", "openai/x")], "OPENAI_API_KEY")]
    #[case(&[("CAIRN_MODEL", "ollama/x"), ("CAIRN_MODEL_URL", "ftp://a")], "CAIRN_MODEL_URL")]
    #[case(&[("CAIRN_MODEL", "ollama/x"), ("CAIRN_MODEL_MONEY", "1")], "CAIRN_MODEL_PRICE")]
    #[case(&[("CAIRN_MODEL", "ollama/x"), ("CAIRN_MODEL_PRICE", "1")], "CAIRN_MODEL_PRICE")]
    #[case(&[("CAIRN_MODEL", "ollama/x"), ("CAIRN_MODEL_STEPS", "many")], "CAIRN_MODEL_STEPS")]
    fn what_is_wrong_is_named(#[case] pairs: &[(&str, &str)], #[case] variable: &str) {
        let failure = read(pairs).unwrap_err();
        assert_eq!(failure.kind, ErrorKind::Usage);
        assert_eq!(failure.place, variable);
    }
}
