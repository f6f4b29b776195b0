//! Names of tags and attributes as small numbers. The ones that rules ask for are fixed; a page's others are added to its table.

use super::QuickMap;

/// A tag's or an attribute's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symbol(pub u16);

macro_rules! symbols {
    ($($name:ident = $text:literal),* $(,)?) => {
        #[derive(Clone, Copy)]
        #[expect(non_camel_case_types, clippy::upper_case_acronyms, reason = "the names become constants")]
        enum Known { $($name),* }

        /// The fixed symbols.
        pub mod sym {
            use super::{Known, Symbol};
            $(
                #[doc = concat!("`", $text, "`")]
                pub const $name: Symbol = Symbol(Known::$name as u16);
            )*
        }

        /// The fixed names, in the order of their numbers.
        const KNOWN: &[&str] = &[$($text),*];
    };
}

symbols! {
    NONE = "",
    // what the reader adds to the attributes
    VALUE_NOW = "=value", LABELLED_BY_NODES = "=labelledby", FILES = "=files",
    // tags
    A = "a", ABBR = "abbr", ADDRESS = "address", AREA = "area", ARTICLE = "article", ASIDE = "aside", AUDIO = "audio", B = "b",
    BLOCKQUOTE = "blockquote", BODY = "body", BR = "br", BUTTON = "button", CANVAS = "canvas", CAPTION = "caption",
    CODE = "code", COL = "col", COLGROUP = "colgroup", DATALIST = "datalist", DD = "dd", DEL = "del", DETAILS = "details",
    DFN = "dfn", DIALOG = "dialog", DIV = "div", DL = "dl", DT = "dt", EM = "em", EMBED = "embed", FIELDSET = "fieldset",
    FIGCAPTION = "figcaption", FIGURE = "figure", FOOTER = "footer", FORM = "form", FRAME = "frame", FRAMESET = "frameset",
    H1 = "h1", H2 = "h2", H3 = "h3", H4 = "h4", H5 = "h5", H6 = "h6", HEAD = "head", HEADER = "header", HGROUP = "hgroup",
    HR = "hr", HTML = "html", I = "i", IFRAME = "iframe", IMG = "img", IMAGE_TAG = "image", INPUT = "input", INS = "ins",
    LEGEND = "legend", LI = "li", LINK = "link", MAIN = "main", MAP = "map", MARK = "mark", MATH = "math", MENU = "menu",
    META = "meta", METER = "meter", NAV = "nav", NOSCRIPT = "noscript", OBJECT = "object", OL = "ol", OPTGROUP = "optgroup",
    OPTION = "option", OUTPUT = "output", P = "p", PRE = "pre", PROGRESS = "progress", Q = "q", S = "s", SAMP = "samp", SCRIPT = "script",
    SEARCH = "search", SECTION = "section", SELECT = "select", SLOT = "slot", SMALL = "small", SPAN = "span", STRONG = "strong",
    STYLE = "style", SUB = "sub", SUMMARY = "summary", SUP = "sup", SVG = "svg", TABLE = "table", TBODY = "tbody", TD = "td", TEMPLATE = "template",
    TEXTAREA = "textarea", TFOOT = "tfoot", TH = "th", THEAD = "thead", TIME = "time", TITLE = "title", TR = "tr", U = "u", UL = "ul",
    BASE = "base", BASEFONT = "basefont", BGSOUND = "bgsound", CENTER = "center", KEYGEN = "keygen", LISTING = "listing",
    MARQUEE = "marquee", NOEMBED = "noembed", NOFRAMES = "noframes", PARAM = "param", PATH = "path", PLAINTEXT = "plaintext", RP = "rp",
    RUBY = "ruby", SOURCE = "source", TRACK = "track", WBR = "wbr", XMP = "xmp",
    VAR = "var", VIDEO = "video", USE = "use", G = "g", TEXT_TAG = "text", DESC = "desc", FOREIGN_OBJECT = "foreignObject",
    // attributes
    ACCESSKEY = "accesskey", ALT = "alt", ARIA_BUSY = "aria-busy", ARIA_CHECKED = "aria-checked", ARIA_COLINDEX = "aria-colindex",
    ARIA_CONTROLS = "aria-controls", ARIA_DESCRIBEDBY = "aria-describedby", ARIA_DISABLED = "aria-disabled",
    ARIA_EXPANDED = "aria-expanded", ARIA_HASPOPUP = "aria-haspopup", ARIA_HIDDEN = "aria-hidden", ARIA_INVALID = "aria-invalid",
    ARIA_LABEL = "aria-label", ARIA_LABELLEDBY = "aria-labelledby", ARIA_LEVEL = "aria-level", ARIA_LIVE = "aria-live", ARIA_MODAL = "aria-modal",
    ARIA_OWNS = "aria-owns", ARIA_PRESSED = "aria-pressed", ARIA_READONLY = "aria-readonly", ARIA_REQUIRED = "aria-required",
    ARIA_SELECTED = "aria-selected", ARIA_VALUENOW = "aria-valuenow", ARIA_VALUETEXT = "aria-valuetext", ARIA_ATOMIC = "aria-atomic",
    ARIA_CURRENT = "aria-current", ARIA_DESCRIPTION = "aria-description", ARIA_DETAILS = "aria-details", ARIA_DROPEFFECT = "aria-dropeffect",
    ARIA_ERRORMESSAGE = "aria-errormessage", ARIA_FLOWTO = "aria-flowto", ARIA_GRABBED = "aria-grabbed",
    ARIA_KEYSHORTCUTS = "aria-keyshortcuts", ARIA_RELEVANT = "aria-relevant", ARIA_ROLEDESCRIPTION = "aria-roledescription",
    ARIA_BRAILLELABEL = "aria-braillelabel", ARIA_BRAILLEROLEDESCRIPTION = "aria-brailleroledescription",
    AUTOCOMPLETE = "autocomplete", CHECKED = "checked", CLASS = "class", CONTENT = "content", CONTENTEDITABLE = "contenteditable",
    CONTROLS = "controls", COORDS = "coords", DATA = "data", DATA_ACTION = "data-action", DISABLED = "disabled", DRAGGABLE = "draggable", FOR = "for",
    HIDDEN = "hidden", HREF = "href", ID = "id", INERT = "inert", JSACTION = "jsaction", LABEL = "label", LIST = "list",
    MULTIPLE = "multiple", NAME = "name", NG_CLICK = "ng-click", ONCLICK = "onclick", ONDBLCLICK = "ondblclick",
    ONMOUSEDOWN = "onmousedown", ONPOINTERDOWN = "onpointerdown", ONMOUSEUP = "onmouseup", ONPOINTERUP = "onpointerup",
    ONKEYDOWN = "onkeydown", ONTOUCHSTART = "ontouchstart", OPEN = "open", PLACEHOLDER = "placeholder", POPOVER = "popover",
    POPOVERTARGET = "popovertarget", COMMANDFOR = "commandfor", READONLY = "readonly", REQUIRED = "required", ROLE = "role", SCOPE = "scope", SELECTED = "selected",
    SIZE = "size", SRC = "src", TABINDEX = "tabindex",
    TYPE = "type", USEMAP = "usemap", VALUE = "value", VALUETEXT = "valuetext", XLINK_HREF = "xlink:href", DATA_TESTID = "data-testid",
    DATA_TEST_ID = "data-test-id", DATA_TEST = "data-test", DATA_CY = "data-cy", DATA_QA = "data-qa", DATA_ICON = "data-icon",
    CURSOR = "cursor", D = "d", DISPLAY = "display", FILL = "fill", INTEGRITY = "integrity", NONCE = "nonce", OPACITY = "opacity",
    PART = "part", POINTS = "points", SIZES = "sizes", SRCSET = "srcset", STROKE = "stroke", TRANSFORM = "transform", VIEW_BOX = "viewBox",
    VISIBILITY = "visibility", XMLNS = "xmlns",
    LANG = "lang", DIR = "dir", HEADERS = "headers", MAX = "max", MIN = "min",
}

impl Symbol {
    /// True for a name that rules ask for.
    pub fn is_fixed(self) -> bool {
        usize::from(self.0) < KNOWN.len()
    }

    /// How many are fixed.
    fn fixed() -> usize {
        KNOWN.len()
    }
}

/// One page's table of names.
#[derive(Clone, Debug, Default)]
pub struct Symbols {
    extra: Vec<String>,
    index: QuickMap<String, Symbol>,
}

impl Symbols {
    /// The symbol of a name, added to the table where it is new.
    pub fn intern(&mut self, name: &str) -> Symbol {
        if let Some(known) = self.find(name) {
            return known;
        }
        // A page with more than 60,000 different names gets one symbol for all the rest: nothing asks for them.
        let number = Symbol::fixed() + self.extra.len();
        if number >= usize::from(u16::MAX) {
            return Symbol(u16::MAX);
        }
        let symbol = Symbol(number as u16);
        self.extra.push(name.to_owned());
        self.index.insert(name.to_owned(), symbol);
        symbol
    }

    /// The symbol of a name, where there is one.
    pub fn find(&self, name: &str) -> Option<Symbol> {
        known(name).or_else(|| self.index.get(name).copied())
    }

    /// The name of a symbol.
    pub fn name(&self, symbol: Symbol) -> &str {
        let number = usize::from(symbol.0);
        match KNOWN.get(number) {
            Some(name) => name,
            None => self.extra.get(number - KNOWN.len()).map_or("", String::as_str),
        }
    }
}

thread_local! {
    static FIXED: QuickMap<&'static str, Symbol> =
        KNOWN.iter().enumerate().map(|(number, name)| (*name, Symbol(number as u16))).collect();
}

fn known(name: &str) -> Option<Symbol> {
    FIXED.with(|fixed| fixed.get(name).copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fixed_names_keep_their_numbers_and_new_ones_are_added() {
        let mut symbols = Symbols::default();
        assert_eq!(symbols.intern("button"), sym::BUTTON);
        assert_eq!(symbols.name(sym::ARIA_LABELLEDBY), "aria-labelledby");
        let own = symbols.intern("x-own");
        assert_eq!(symbols.intern("x-own"), own);
        assert_eq!(symbols.name(own), "x-own");
        assert_eq!(symbols.find("never-seen"), None);
    }
}
