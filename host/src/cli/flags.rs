//! Flags that several commands have, each with one wording.

use std::collections::BTreeMap;
use std::path::PathBuf;

use cairn_core::wire::worker::{Engine, Viewport};

use super::files;
use crate::browser::Launch;
use crate::exit::Failure;

/// The page's size where the browser is our own.
const VIEWPORT: Viewport = Viewport { width: 1280, height: 720 };

/// Which browser.
#[derive(clap::Args, Clone, Copy, Debug)]
pub(super) struct Browser {
    /// Use the paired browser instead of one of our own
    #[arg(long)]
    pub(super) attach: bool,
    /// Show the window of the browser that is started
    #[arg(long, conflicts_with = "attach")]
    headed: bool,
}

impl Browser {
    /// How one of our own is started.
    pub(super) fn launch(self) -> Launch {
        Launch { headless: !self.headed, ..Launch::default() }
    }

    /// The page's size, which only a browser of our own is told.
    pub(super) fn viewport(self) -> Option<Viewport> {
        (!self.attach).then_some(VIEWPORT)
    }
}

/// The inputs of a run.
#[derive(clap::Args, Clone, Debug)]
pub(super) struct Inputs {
    /// An input of the run
    #[arg(long = "input", value_name = "NAME=VALUE")]
    input: Vec<String>,
    /// Inputs from a JSON file: {"name": "value"}
    #[arg(long, value_name = "FILE")]
    inputs: Option<PathBuf>,
}

impl Inputs {
    /// Those of the file, then those of the flags.
    ///
    /// # Errors
    /// `BadInput` with the place.
    pub(super) fn read(&self) -> Result<BTreeMap<String, String>, Failure> {
        files::inputs(&self.input, self.inputs.as_deref())
    }
}

/// What a model may do and cost, where one is asked.
#[derive(clap::Args, Clone, Copy, Debug, Default)]
pub(super) struct Spending {
    /// Acts that a model may do [default: 40]
    #[arg(id = "max_steps", long = "max-steps", value_name = "NUMBER")]
    pub(super) steps: Option<u32>,
    /// Tokens that a model may use [default: 400000]
    #[arg(id = "max_tokens", long = "max-tokens", value_name = "NUMBER")]
    pub(super) tokens: Option<u64>,
    /// US dollars that a model may cost; needs CAIRN_MODEL_PRICE
    #[arg(id = "max_cost", long = "max-cost", value_name = "DOLLARS")]
    pub(super) cost: Option<f64>,
}

/// Which build of the probe.
#[derive(clap::Args, Clone, Copy, Debug, Default)]
pub(super) struct ProbeBuild {
    /// Force one build of the probe
    #[arg(long, value_enum)]
    engine: Option<EngineChoice>,
}

impl ProbeBuild {
    /// As the worker is told it.
    pub(super) fn wire(self) -> Engine {
        match self.engine {
            None => Engine::Auto,
            Some(EngineChoice::Wasm) => Engine::Wasm,
            Some(EngineChoice::Js) => Engine::Js,
        }
    }
}

/// The builds of the probe.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum EngineChoice {
    /// WebAssembly
    Wasm,
    /// The same code as plain JavaScript
    Js,
}
