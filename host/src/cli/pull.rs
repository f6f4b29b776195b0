//! `cairn pull`: the store's tests back into files.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::Context;
use super::files;
use super::output::plain;
use super::reach::open_store;
use crate::engine::evidence::write_whole;
use crate::exit::{ErrorKind, Exit, Failure};
use crate::store::{Slot, Store, StoreError, StoredTest};

/// Writes stored tests to NAME.test.json, and their scripts to scripts/ beside them
#[derive(clap::Args)]
pub(super) struct Args {
    /// The tests; all of them where none is named
    names: Vec<String>,
    /// Where to write
    #[arg(long, value_name = "DIR", default_value = ".")]
    dir: PathBuf,
}

pub(super) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let store = open_store(&context.data)?;
    let names = if args.names.is_empty() {
        store.tests().await?.into_iter().map(|test| test.name).collect()
    } else {
        args.names
    };
    if names.is_empty() {
        let next = "`cairn record NAME --url URL` makes a first one";
        return Err(Failure::new(ErrorKind::NothingSelected, "no test is stored", next));
    }
    let folder = files::absolute(&args.dir)?;
    for name in names {
        let test = store.test(&name).await?;
        let test = test.ok_or_else(|| StoreError::Missing { what: "test", name: name.clone() })?;
        let path = pull(store.as_ref(), &test, &folder).await?;
        if context.output.is_json() {
            context.output.data(&json!({"name": name, "file": path}));
        } else {
            context.output.line(&plain(&format!("pulled: {name} — {}", path.display())));
        }
    }
    Ok(Exit::Success)
}

async fn pull(store: &dyn Store, test: &StoredTest, folder: &Path) -> Result<PathBuf, Failure> {
    let name = &test.name;
    let mut whole: Value = serde_json::from_str(&test.definition).unwrap_or_else(|_| json!({"Name": name}));
    let promoted = script(store, name, Slot::Promoted, folder).await?;
    let pending = script(store, name, Slot::Pending, folder).await?;
    if let Some(whole) = whole.as_object_mut() {
        let configuration = whole.entry("Configuration").or_insert_with(|| Value::Object(Map::new()));
        if let Some(configuration) = configuration.as_object_mut() {
            configuration.insert("ReplayScript".into(), promoted);
            configuration.insert("PendingReplayScript".into(), pending);
        }
    }
    let mut content = serde_json::to_string_pretty(&whole).unwrap_or_default();
    content.push('\n');
    let path = folder.join(format!("{name}.test.json"));
    write(&path, &content)?;
    Ok(path)
}

/// Writes a slot's script and gives what names it in the test file.
async fn script(store: &dyn Store, name: &str, slot: Slot, folder: &Path) -> Result<Value, Failure> {
    let Some(stored) = store.script(name, slot).await? else { return Ok(Value::Null) };
    let file = match slot {
        Slot::Promoted => format!("scripts/{name}.json"),
        Slot::Pending => format!("scripts/{name}.pending.json"),
    };
    write(&folder.join(&file), &stored.text)?;
    Ok(Value::String(format!("@file:{file}")))
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    write_whole(path, text.as_bytes()).map_err(|error| {
        Failure::new(ErrorKind::Usage, format!("the file cannot be written: {error}"), "choose another --dir")
            .at(path.display().to_string())
    })
}
