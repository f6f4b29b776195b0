//! Checks as people write them in a command or a call.

use cairn_core::script::Condition;

use crate::exit::{ErrorKind, Failure};

/// Reads `heading "Thank you"` · `text "Saved"` · `gone button "Undo"` · `textbox "Name" = "Ada"`.
///
/// # Errors
/// `Usage`, with how it is written.
pub fn read(text: &str) -> Result<Condition, Failure> {
    let wrong = || {
        let next =
            "write it as ROLE \"NAME\", text \"TEXT\", ROLE \"NAME\" = \"VALUE\", or gone before one of them";
        Failure::new(ErrorKind::Usage, format!("`{text}` is no check"), next).at("--check")
    };
    let trimmed = text.trim();
    let (gone, rest) = trimmed.strip_prefix("gone ").map_or((None, trimmed), |rest| (Some(true), rest));
    let (role, rest) = rest.split_once('"').ok_or_else(wrong)?;
    let role = role.trim();
    let (left, value) = match rest.split_once("\" = \"") {
        Some((name, value)) => (name, Some(value.strip_suffix('"').ok_or_else(wrong)?.to_owned())),
        None => (rest.strip_suffix('"').ok_or_else(wrong)?, None),
    };
    if role.is_empty() || left.is_empty() || role.contains(char::is_whitespace) {
        return Err(wrong());
    }
    let name = left.to_owned();
    Ok(if role == "text" {
        Condition { text: Some(name), gone, ..Condition::default() }
    } else {
        Condition { role: Some(role.to_owned()), name: Some(name), value, gone, ..Condition::default() }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_is_read_as_people_write_it() {
        let heading = read("heading \"Thank you\"").unwrap();
        assert_eq!((heading.role.as_deref(), heading.name.as_deref()), (Some("heading"), Some("Thank you")));
        let gone = read("gone button \"Undo\"").unwrap();
        assert_eq!((gone.gone, gone.name.as_deref()), (Some(true), Some("Undo")));
        let value = read("textbox \"Name\" = \"Ada\"").unwrap();
        assert_eq!(value.value.as_deref(), Some("Ada"));
        assert_eq!(read("text \"Saved\"").unwrap().text.as_deref(), Some("Saved"));
        for wrong in ["", "heading", "\"Name\"", "heading \"", "text \"a", "two words \"x\""] {
            assert_eq!(read(wrong).map_err(|failure| failure.kind), Err(ErrorKind::Usage), "{wrong}");
        }
    }
}
