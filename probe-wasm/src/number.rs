//! Numbers with more decimals than a few, as the browser reads and writes them: its tables are in memory already.

use cairn_core::wire::Numbers;
use wasm_bindgen::JsValue;

/// For messages.
pub static NUMBERS: Numbers = Numbers { read, write: text };

/// The number that a text means by JSON's rules.
fn read(text: &str) -> Option<f64> {
    js_sys::JSON::parse(text).ok()?.as_f64()
}

/// The number that a field or an attribute holds, if it is one.
pub fn of(text: &str) -> Option<f64> {
    let is_part = |byte| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-');
    if text.is_empty() || !text.bytes().all(is_part) {
        return None;
    }
    let number = JsValue::from_str(text).unchecked_into_f64();
    (!number.is_nan()).then_some(number)
}

/// The shortest text that means this number; `null` where it is none.
pub fn text(value: f64) -> String {
    js_sys::JSON::stringify(&JsValue::from_f64(value)).map_or_else(|_| "null".to_owned(), String::from)
}
