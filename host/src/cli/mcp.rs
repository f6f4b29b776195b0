//! `cairn mcp`: the face for agents, over stdin and stdout.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use cairn_core::wire::page::InputValue;

use futures_util::future::BoxFuture;
use tokio::sync::Mutex;

use super::Context;
use super::files;
use super::flags::Browser;
use super::interrupt::unless_interrupted;
use super::reach::{Reach, adviser, open_store};
use super::run::source;
use crate::daemon::Hub;
use crate::engine::api::RunSource;
use crate::engine::{Engine, Equipment};
use crate::exit::{Exit, Failure};
use crate::mcp::{Access, serve};

/// Serves agents over the Model Context Protocol (stdin and stdout)
#[derive(clap::Args)]
#[command(mut_arg("attach", |flag| flag.help("Use the paired browser instead of one of our own; no daemon may be running")))]
pub(super) struct Args {
    #[command(flatten)]
    browser: Browser,
    /// Values that the agent may type by name, as %NAME%, from a JSON file: {"name": "value"}
    #[arg(long, value_name = "FILE")]
    inputs: Option<PathBuf>,
    /// Treat this input as a secret: the agent never sees its value
    #[arg(long, value_name = "NAME")]
    secret: Vec<String>,
    /// Let tasks (cairn_do, cairn_skill) do what is called risky: Pay, Delete, Send
    #[arg(long)]
    allow_risky: bool,
}

pub(super) async fn run(args: Args, context: Context) -> Result<Exit, Failure> {
    let equipment = Equipment { adviser: adviser()?, rinse: None };
    let desk = Engine::equipped(Hub::new(), open_store(&context.data)?, &context.data, equipment);
    let inputs = files::inputs(&[], args.inputs.as_deref())?;
    let input = |(name, value): (String, String)| {
        let secret = args.secret.contains(&name);
        (name, InputValue { value, secret })
    };
    let inputs = inputs.into_iter().map(input).collect();
    let station = Arc::new(Station { args, inputs, context, desk, reach: Mutex::default() });
    let served = unless_interrupted(Box::pin(serve(Arc::clone(&station) as Arc<dyn Access>))).await;
    if let Some(reach) = station.reach.lock().await.take() {
        reach.end().await;
    }
    served.map(|()| Exit::Success)
}

/// The store, and the browser once one is needed.
struct Station {
    args: Args,
    inputs: BTreeMap<String, InputValue>,
    context: Context,
    desk: Arc<Engine>,
    reach: Mutex<Option<Reach>>,
}

impl Access for Station {
    fn desk(&self) -> Arc<Engine> {
        Arc::clone(&self.desk)
    }

    fn engine(&self) -> BoxFuture<'_, Result<Arc<Engine>, Failure>> {
        Box::pin(async {
            let mut reach = self.reach.lock().await;
            if let Some(engine) = reach.as_ref().and_then(Reach::engine) {
                return Ok(engine);
            }
            let made = if self.args.browser.attach {
                Reach::paired_here(&self.context).await?
            } else {
                let launch = self.args.browser.launch();
                Reach::own(&self.context, open_store(&self.context.data)?, launch).await?
            };
            let engine = made.engine().ok_or_else(|| {
                Failure::new(crate::exit::ErrorKind::Internal, "there is no engine here", "report this")
            })?;
            *reach = Some(made);
            Ok(engine)
        })
    }

    fn inputs(&self) -> BTreeMap<String, InputValue> {
        self.inputs.clone()
    }

    fn allows_risky(&self) -> bool {
        self.args.allow_risky
    }

    fn source(&self, what: &str) -> Result<RunSource, Failure> {
        source(what)
    }
}
