//! `cairn record`: a person's run becomes a script.

use std::collections::BTreeMap;
use std::io::BufRead as _;
use std::path::{Path, PathBuf};

use cairn_core::script::{ScriptFile, Step, write};
use tokio::sync::mpsc;

use super::Context;
use super::files;
use super::flags::{Inputs, ProbeBuild};
use super::interrupt::Signals;
use super::output::plain;
use super::probe::checked;
use super::reach::{Conversation, Reach, open_store};
use crate::browser::Launch;
use crate::engine::api::{
    ClientEvent, ClientRequest, RecordEvent, RecordRequest, Recorded, StopRequest, line,
};
use crate::engine::evidence::write_whole;
use crate::engine::record::{Head, languages, salvage};
use crate::exit::{ErrorKind, Exit, Failure};

/// Records a person's run as a script
///
/// It ends on Enter, Ctrl-C, the panel's Stop or `cairn stop`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Name of the test
    name: String,
    /// Where to start
    #[arg(long, value_name = "URL")]
    url: String,
    /// Write the script to this file too
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Record in the paired browser instead of one of our own
    #[arg(long)]
    attach: bool,
    /// What the run is for
    #[arg(long)]
    goal: Option<String>,
    #[command(flatten)]
    inputs: Inputs,
    /// Treat this input as a secret: its value is never stored
    #[arg(long, value_name = "NAME")]
    secret: Vec<String>,
    /// Identity of the build that is live
    #[arg(long, value_name = "ID")]
    build: Option<String>,
    /// Where to read it: meta:NAME, header:NAME, json:URL#KEY or assets
    #[arg(long, value_name = "WHERE", conflicts_with = "build")]
    build_from: Option<String>,
    /// Languages whose words on a button (pay, delete, …) mark a step as one that sends [default: all that are known]
    #[arg(long, value_name = "LANGUAGE", value_delimiter = ',', env = "CAIRN_LANGUAGES")]
    languages: Vec<String>,
    /// Record native dialogs (alert, confirm, prompt, "Leave site?"); the browser shows that a debugger is attached then
    #[arg(long)]
    dialogs: bool,
    #[command(flatten)]
    build_of_probe: ProbeBuild,
}

pub(super) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let request = request(&args)?;
    let mut signals = Signals::listen()?;
    let reach = tokio::select! {
        reach = reach(args.attach, context) => reach?,
        () = signals.wait() => return Err(Failure::new(ErrorKind::Interrupted, "interrupted", "")),
    };
    let mut session = Session { context, request: &request, heard: Heard::default() };
    let recorded = match reach.ask(ClientRequest::Record(Box::new(request.clone()))).await {
        Ok(conversation) => session.follow(&reach, conversation, &mut signals).await,
        Err(failure) => Err(failure),
    };
    let recorded = recorded.map_err(|failure| reach.explain(failure));
    reach.end().await;
    let recorded = recorded.map_err(|failure| session.salvage(failure))?;
    if !context.output.is_json() {
        summary(context, &recorded);
    }
    Ok(Exit::Success)
}

async fn reach(attach: bool, context: &Context) -> Result<Reach, Failure> {
    if attach {
        return Reach::paired(context).await;
    }
    let store = open_store(&context.data)?;
    Reach::own(context, store, Launch { headless: false, ..Launch::default() }).await
}

fn request(args: &Args) -> Result<RecordRequest, Failure> {
    let inputs = args.inputs.read()?;
    if let Some(unknown) = args.secret.iter().find(|name| !inputs.contains_key(*name)) {
        let next = format!("give its value too: --input {unknown}=VALUE, or in --inputs FILE");
        return Err(Failure::new(ErrorKind::Usage, format!("the secret `{unknown}` has no value"), next));
    }
    let out = args.out.as_deref().map(files::absolute).transpose()?;
    if let Some(out) = &out {
        check_writable(out)?;
    }
    Ok(RecordRequest {
        name: args.name.clone(),
        url: checked(&args.url)?,
        tab: None,
        goal: args.goal.clone(),
        out,
        inputs,
        secret_inputs: args.secret.clone(),
        languages: known_languages(&args.languages)?,
        build: args.build.clone(),
        build_from: args.build_from.clone(),
        engine: args.build_of_probe.wire(),
        viewport: None,
        keep_open: false,
        dialogs: args.dialogs,
    })
}

fn known_languages(given: &[String]) -> Result<Vec<String>, Failure> {
    let known: Vec<&str> = languages().collect();
    if let Some(unknown) = given.iter().find(|one| !known.contains(&one.as_str())) {
        let message = format!("no risky words are known in `{unknown}`");
        return Err(Failure::new(ErrorKind::Usage, message, format!("choose among {}", known.join(", "))));
    }
    Ok(given.to_vec())
}

/// Said before the person has worked for it.
fn check_writable(out: &Path) -> Result<(), Failure> {
    let folder = out.parent().unwrap_or(out);
    let reason = if out.is_dir() {
        "it is a folder".to_owned()
    } else {
        match std::fs::create_dir_all(folder).and_then(|()| tempfile::tempfile_in(folder)) {
            Ok(_) => return Ok(()),
            Err(error) => error.to_string(),
        }
    };
    Err(Failure::new(
        ErrorKind::Usage,
        format!("the script cannot be written there: {reason}"),
        "choose another --out",
    )
    .at(out.display().to_string()))
}

/// What was heard of the recording: enough to save it when its daemon dies.
#[derive(Default)]
struct Heard {
    recording: String,
    steps: BTreeMap<u32, Step>,
}

struct Session<'a> {
    context: &'a Context,
    request: &'a RecordRequest,
    heard: Heard,
}

impl Session<'_> {
    async fn follow(
        &mut self,
        reach: &Reach,
        mut conversation: Conversation,
        signals: &mut Signals,
    ) -> Result<Recorded, Failure> {
        let mut enter = enter();
        let mut stopping = false;
        loop {
            let reason = tokio::select! {
                event = conversation.next() => match event {
                    Some(Ok(ClientEvent::Record { event })) => {
                        if let Some(recorded) = self.hear(event) {
                            return Ok(recorded);
                        }
                        continue;
                    }
                    Some(Ok(_)) => continue,
                    Some(Err(failure)) => return Err(failure),
                    None => return Err(Failure::new(ErrorKind::Internal, "the recording ended without a word", "")),
                },
                Some(()) = enter.recv() => "stopped by Enter",
                () = signals.wait() => "stopped by a signal",
            };
            if stopping {
                return Err(Failure::new(
                    ErrorKind::Interrupted,
                    "interrupted before the recording was finished",
                    "",
                ));
            }
            stopping = true;
            if !conversation.stop(reason) {
                self.stop_remote(reach).await?;
            }
        }
    }

    /// Ends it as `cairn stop` would: the final event then comes here.
    async fn stop_remote(&self, reach: &Reach) -> Result<(), Failure> {
        let request = ClientRequest::Stop(StopRequest { name: Some(self.request.name.clone()) });
        let mut conversation = reach.ask(request).await?;
        tokio::spawn(async move { while conversation.next().await.is_some() {} });
        Ok(())
    }

    fn hear(&mut self, event: RecordEvent) -> Option<Recorded> {
        let output = self.context.output;
        if output.is_json() {
            output.line(&line(&event));
        }
        match event {
            RecordEvent::Started { recording, url, .. } => {
                self.heard.recording = recording;
                output.note(&plain(&format!("Recording {url}. End it with Enter, Ctrl-C or `cairn stop`.")));
            }
            RecordEvent::Step { number, text, weak, step } => {
                output.note(&plain(&format!("{number:>3}  {text}")));
                self.say_weak(weak.as_deref());
                self.heard.steps.insert(number, *step);
            }
            RecordEvent::Amended { number, weak, step, .. } => {
                let before = self.heard.steps.insert(number, *step);
                if before.is_some_and(|before| before.weak != weak) {
                    self.say_weak(weak.as_deref());
                }
            }
            RecordEvent::Retracted { number } => {
                let steps = std::mem::take(&mut self.heard.steps);
                let kept = steps.into_iter().filter(|(at, _)| *at != number);
                self.heard.steps =
                    kept.map(|(at, step)| (if at > number { at - 1 } else { at }, step)).collect();
            }
            RecordEvent::Log { text } => output.note(&plain(&text)),
            RecordEvent::Finished { recording } => return Some(*recording),
        }
        None
    }

    fn say_weak(&self, weak: Option<&str>) {
        if let Some(weak) = weak {
            self.context.output.note(&plain(&format!("     weak: {weak}")));
        }
    }

    /// The engine is gone in mid-recording: what was heard is written all the same.
    fn salvage(&self, mut failure: Failure) -> Failure {
        let count = self.heard.steps.len();
        if self.heard.recording.is_empty() || count == 0 {
            return failure;
        }
        let mut head = Head {
            name: self.request.name.clone(),
            goal: self.request.goal.clone().unwrap_or_default(),
            start_url: self.request.url.clone(),
            build_identity: self.request.build.clone(),
            ..Head::default()
        };
        for name in self.request.inputs.keys() {
            head.declare(name, self.request.secret_inputs.contains(name));
        }
        let text = write(&ScriptFile::from(salvage(&head, &self.heard.steps)));
        let journal = format!("`cairn scripts recover {}`", self.heard.recording);
        failure.next = match &self.request.out {
            Some(out) if write_whole(out, text.as_bytes()).is_ok() => {
                format!(
                    "the {count} steps captured so far are in {}, and in the store: {journal}",
                    out.display()
                )
            }
            _ => format!("the {count} steps captured so far are in the store: {journal} --out FILE"),
        };
        failure
    }
}

/// Hears Enter. The end of the input is none: a command in the background has no one at its keyboard.
fn enter() -> mpsc::Receiver<()> {
    let (pressed, heard) = mpsc::channel(1);
    std::thread::spawn(move || {
        let mut text = String::new();
        if std::io::stdin().lock().read_line(&mut text).is_ok_and(|read| read > 0) {
            let _ = pressed.blocking_send(());
        }
    });
    heard
}

fn summary(context: &Context, recorded: &Recorded) {
    let output = context.output;
    let slot = recorded.slot.as_deref().map_or_else(String::new, |slot| format!(", stored as {slot}"));
    output.line(&plain(&format!("recorded: {} — {} steps{slot}", recorded.name, recorded.steps)));
    if let Some(out) = &recorded.out {
        output.line(&out.display().to_string());
    }
    if !recorded.weak.is_empty() {
        let numbers: Vec<String> = recorded.weak.keys().map(u32::to_string).collect();
        output.note(&format!("weak steps: {}; each says in the script what would help", numbers.join(", ")));
    }
    let secrets: Vec<&str> = recorded
        .script
        .inputs
        .iter()
        .filter(|(_, input)| input.secret)
        .map(|(name, _)| name.as_str())
        .collect();
    if !secrets.is_empty() {
        output.note(&plain(&format!(
            "secrets are not stored; give them when you run it: --input {}=…",
            secrets.join("=… --input ")
        )));
    }
}
