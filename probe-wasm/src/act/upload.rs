//! `upload`: gives files to a file field, as its chooser would.

use cairn_core::map::Named;

use js_sys::{Array, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{DataTransfer, Element, File, FilePropertyBag};

use super::event;
use super::perform::ActError;
use crate::native;

/// Gives the files of these names, one a line; `files` holds them as base64.
pub fn upload(field: &Element, names: &str, files: &Named<String>) -> Result<(), ActError> {
    if !native::matches(field, "input[type=file]") {
        return Err(ActError::before("the target is no file field"));
    }
    let failed = |_: JsValue| ActError::before("the browser makes no file of it");
    let transfer = DataTransfer::new().map_err(failed)?;
    for name in names.lines().filter(|name| !name.is_empty()) {
        let content = files.get(name).and_then(|content| bytes(content)).ok_or_else(|| {
            ActError::before(format!("the file \u{201c}{name}\u{201d} did not come with the step"))
        })?;
        // A name may have come as a path; the page sees its last part, as from a chooser.
        let shown = name.rsplit(['/', '\\']).next().unwrap_or(name);
        let options = FilePropertyBag::new();
        options.set_type(kind_of(shown));
        let parts = Array::of1(&content);
        let file = File::new_with_u8_array_sequence_and_options(&parts, shown, &options).map_err(failed)?;
        transfer.items().add_with_file(&file).map_err(failed)?;
    }
    let list = native::get("DataTransfer", "files", &transfer);
    native::set("HTMLInputElement", "files", field, &list).map_err(failed)?;
    event::input(field, "input", "", None);
    event::plain(field, "change", true, false, false);
    Ok(())
}

/// The bytes that a base64 text stands for.
fn bytes(text: &str) -> Option<JsValue> {
    let binary = web_sys::window()?.atob(text).ok()?;
    let bytes: Vec<u8> = binary.chars().map(|character| character as u8).collect();
    Some(Uint8Array::from(bytes.as_slice()).unchecked_into())
}

/// Media types that pages ask for most.
fn kind_of(name: &str) -> &'static str {
    match cairn_core::text::lower(name.rsplit('.').next().unwrap_or_default()).as_str() {
        "txt" | "md" | "log" => "text/plain",
        "csv" => "text/csv",
        "html" | "htm" => "text/html",
        "json" => "application/json",
        "xml" => "text/xml",
        "pdf" => "application/pdf",
        "zip" => "application/zip",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "svg" => "image/svg+xml",
        "webp" => "image/webp",
        "mp4" => "video/mp4",
        "docx" => "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "xlsx" => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        _ => "",
    }
}
