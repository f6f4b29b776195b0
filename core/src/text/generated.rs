//! Ids and form names that no person chose: they are dealt out anew on the next load.

/// True where an id or form name looks dealt out by a program: a running number behind a separator, a hash, a framework's
/// mark. A wrong "yes" costs a rung, a wrong "no" may cost a wrong click, so doubt says yes.
pub fn looks_generated(value: &str) -> bool {
    if value.is_empty() || !value.is_ascii() && value.chars().any(char::is_control) {
        return true;
    }
    has_framework_mark(value)
        || segments(value).any(|segment| is_running_number(value, segment) || is_hash(segment))
}

/// `:r1:` and `«r1»` (React), `radix-`, `headlessui-`, `__next`, `ember12`, `ext-gen12`, `yui_3_…`, `gwt-uid-`, `mat-input-0`.
fn has_framework_mark(value: &str) -> bool {
    const MARKS: [&str; 11] = [
        "radix-",
        "headlessui-",
        "ext-gen",
        "yui_",
        "gwt-uid",
        "uid-",
        "ember",
        "react-aria",
        "_ngcontent",
        "jss",
        "css-",
    ];
    value.starts_with(':')
        || value.starts_with('«')
        || value.contains(":r")
        || MARKS.iter().any(|mark| value.starts_with(mark) && value.contains(|c: char| c.is_ascii_digit()))
}

fn segments(value: &str) -> impl Iterator<Item = &str> {
    value.split(|c: char| !c.is_alphanumeric()).filter(|segment| !segment.is_empty())
}

/// Digits alone as a segment (`fld-2`, `row_17_name`), or four and more anywhere (`user20931`). `address1` is a choice.
fn is_running_number(value: &str, segment: &str) -> bool {
    let digits = segment.chars().filter(char::is_ascii_digit).count();
    let all = digits == segment.chars().count();
    // An array's index in a form name, `items[0][qty]`, is the application's own.
    (all && !value.contains(&format!("[{segment}]"))) || digits >= 4
}

/// Letters and digits in turns (`a7f3c9`), hex with digits, or capitals inside a word that is no camelCase.
fn is_hash(segment: &str) -> bool {
    let length = segment.chars().count();
    if length < 5 || !segment.is_ascii() {
        return false;
    }
    let digits = segment.bytes().filter(u8::is_ascii_digit).count();
    let hex = segment.bytes().all(|b| b.is_ascii_hexdigit());
    let turns = segment
        .as_bytes()
        .windows(2)
        .filter(|pair| pair[0].is_ascii_digit() != pair[1].is_ascii_digit())
        .count();
    (hex && digits > 0 && length >= 6)
        || (turns >= 3)
        || (turns >= 2 && digits >= 2 && length <= 10)
        || is_jumble(segment)
}

/// Capitals strewn through a word (`xKqRtB`): in camelCase the words between them are longer.
fn is_jumble(segment: &str) -> bool {
    let bytes = segment.as_bytes();
    let switches =
        bytes.windows(2).filter(|p| p[0].is_ascii_lowercase() && p[1].is_ascii_uppercase()).count();
    let vowels = bytes.iter().filter(|b| b"aeiouyAEIOUY".contains(b)).count();
    (switches >= 2 && bytes.len() * 10 < (switches + 1) * 23) || (bytes.len() >= 6 && vowels == 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    fn chosen(
        #[values(
            "email",
            "id_username",
            "id_password1",
            "address1",
            "searchbar",
            "app-switcher",
            "_continue",
            "user[email]",
            "items[0][qty]",
            "firstName",
            "postalCodeField",
            "shipToURL",
            "q",
            "h2-title",
            "имя",
            "姓名",
            "line2",
            "_save",
            "select-all",
            "csrfmiddlewaretoken",
            "filter_op",
            "html5upload",
            "fooURLBar"
        )]
        id: &str,
    ) {
        assert!(!looks_generated(id), "{id}");
    }

    #[rstest]
    fn dealt_out(
        #[values(
            "fld-2",
            ":r1:",
            "«r3»",
            "radix-:r4:",
            "ember123",
            "mat-input-0",
            "react-select-2-input",
            "ext-gen1034",
            "yui_3_18_1",
            "a7f3c9",
            "sc-1a2b3c",
            "css-1q2w3e",
            "input-5f2a9c1e",
            "3f2504e0-4f89-11d3-9a0c-0305e82c3301",
            "xKqRtB",
            "user20931",
            "row_17_name",
            "headlessui-menu-button-1",
            "gwt-uid-12",
            "select2-x1-container-9",
            ""
        )]
        id: &str,
    ) {
        assert!(looks_generated(id), "{id}");
    }
}
