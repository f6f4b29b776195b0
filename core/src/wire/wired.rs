//! What crosses the wire in the probe. A derived reader or writer is made anew for each type and costs more than half a
//! kilobyte each; here every type only says which keys it has and where they are, and one function each reads and writes an
//! object, a list, a map. `serde`, which the host uses, and this agree: `shape` holds both against each other.

use super::json::Json;
use crate::map::Named;

/// A value that is read and written through one function.
pub trait Wired {
    /// What stands in for a value until it is read.
    fn blank() -> Self
    where
        Self: Sized;

    /// Reads itself from the text or writes itself to it. `None` where the text holds something else; `json` knows what.
    fn pass(&mut self, json: &mut Json<'_>) -> Option<()>;

    /// True where it is left out under a key that may be left out.
    fn is_absent(&self) -> bool {
        false
    }
}

/// A key of an object.
pub struct Key {
    name: &'static str,
    presence: Presence,
}

#[derive(Clone, Copy, PartialEq)]
enum Presence {
    /// Always written; where it is missing, the default stays.
    Written,
    /// Written where there is something to say.
    Sparse,
    /// Always written, and missing nowhere.
    Required,
}

impl Key {
    /// `name` is always written, `?name` only where it says something, `!name` must be there.
    pub const fn of(marked: &'static str) -> Self {
        let presence = match marked.as_bytes()[0] {
            b'?' => Presence::Sparse,
            b'!' => Presence::Required,
            _ => return Self { name: marked, presence: Presence::Written },
        };
        Self { name: marked.split_at(1).1, presence }
    }
}

/// Reads or writes an object with these keys.
pub fn record(json: &mut Json<'_>, keys: &[Key], fields: &mut [&mut dyn Wired]) -> Option<()> {
    if json.reads() { read_record(json, keys, fields) } else { write_record(json, keys, fields) }
}

fn read_record(json: &mut Json<'_>, keys: &[Key], fields: &mut [&mut dyn Wired]) -> Option<()> {
    let mut seen = 0_u32;
    if !json.takes(b'{') {
        return json.expected("an object");
    }
    let mut first = true;
    while json.another(&mut first, b'}')? {
        let name = json.key()?;
        let place = keys.iter().position(|key| key.name == name);
        match place.and_then(|place| Some((place, fields.get_mut(place)?))) {
            Some((place, field)) => {
                if !json.takes_word("null") {
                    seen |= 1 << place;
                    field.pass(json)?;
                }
            }
            None => json.skip()?,
        }
    }
    let missing = |(place, key): &(usize, &Key)| key.presence == Presence::Required && seen >> place & 1 == 0;
    match keys.iter().enumerate().find(missing) {
        Some((_, key)) => json.fail("no", key.name),
        None => Some(()),
    }
}

fn write_record(json: &mut Json<'_>, keys: &[Key], fields: &mut [&mut dyn Wired]) -> Option<()> {
    json.push("{");
    for (key, field) in keys.iter().zip(fields) {
        if key.presence != Presence::Sparse || !field.is_absent() {
            json.comma();
            json.write_string(key.name);
            json.push(":");
            field.pass(json)?;
        }
    }
    json.push("}");
    Some(())
}

/// A list, seen without its type.
pub trait List {
    /// Puts a blank item behind the last one.
    fn grow(&mut self) -> Option<&mut dyn Wired>;
    /// An item.
    fn item(&mut self, place: usize) -> Option<&mut dyn Wired>;
}

/// Reads or writes a list.
pub fn list(json: &mut Json<'_>, items: &mut dyn List) -> Option<()> {
    if json.reads() {
        if !json.takes(b'[') {
            return json.expected("a list");
        }
        let mut first = true;
        while json.another(&mut first, b']')? {
            match items.grow() {
                Some(item) => item.pass(json)?,
                None => return json.expected("fewer items"),
            }
        }
        return Some(());
    }
    json.push("[");
    let mut place = 0;
    while let Some(item) = items.item(place) {
        json.comma();
        item.pass(json)?;
        place += 1;
    }
    json.push("]");
    Some(())
}

impl<T: Wired> List for Vec<T> {
    fn grow(&mut self) -> Option<&mut dyn Wired> {
        self.push(T::blank());
        self.last_mut().map(|item| item as &mut dyn Wired)
    }

    fn item(&mut self, place: usize) -> Option<&mut dyn Wired> {
        self.get_mut(place).map(|item| item as &mut dyn Wired)
    }
}

impl<T: Wired> Wired for Vec<T> {
    fn blank() -> Self {
        Self::new()
    }

    fn pass(&mut self, json: &mut Json<'_>) -> Option<()> {
        list(json, self)
    }

    fn is_absent(&self) -> bool {
        self.is_empty()
    }
}

impl<T: Wired> Wired for Named<T> {
    fn blank() -> Self {
        Self::new()
    }

    fn pass(&mut self, json: &mut Json<'_>) -> Option<()> {
        if json.reads() {
            if !json.takes(b'{') {
                return json.expected("an object");
            }
            let mut first = true;
            while json.another(&mut first, b'}')? {
                let key = json.key()?;
                let mut value = T::blank();
                value.pass(json)?;
                self.insert(key, value);
            }
            return Some(());
        }
        json.push("{");
        for (key, value) in self {
            json.comma();
            json.write_string(key);
            json.push(":");
            value.pass(json)?;
        }
        json.push("}");
        Some(())
    }

    fn is_absent(&self) -> bool {
        self.is_empty()
    }
}

impl<T: Wired> Wired for Option<T> {
    fn blank() -> Self {
        None
    }

    fn pass(&mut self, json: &mut Json<'_>) -> Option<()> {
        if !json.reads() {
            let Some(value) = self else {
                json.push("null");
                return Some(());
            };
            return value.pass(json);
        }
        if json.takes_word("null") {
            *self = None;
            return Some(());
        }
        self.insert(T::blank()).pass(json)
    }

    fn is_absent(&self) -> bool {
        self.is_none()
    }
}

impl<T: Wired> Wired for Box<T> {
    fn blank() -> Self {
        Self::new(T::blank())
    }

    fn pass(&mut self, json: &mut Json<'_>) -> Option<()> {
        (**self).pass(json)
    }

    fn is_absent(&self) -> bool {
        (**self).is_absent()
    }
}

impl Wired for String {
    fn blank() -> Self {
        Self::new()
    }

    fn pass(&mut self, json: &mut Json<'_>) -> Option<()> {
        if json.reads() {
            *self = json.read_string()?;
        } else {
            json.write_string(self);
        }
        Some(())
    }

    fn is_absent(&self) -> bool {
        self.is_empty()
    }
}

impl Wired for bool {
    fn blank() -> Self {
        false
    }

    fn pass(&mut self, json: &mut Json<'_>) -> Option<()> {
        if !json.reads() {
            json.push(if *self { "true" } else { "false" });
        } else if json.takes_word("true") {
            *self = true;
        } else if json.takes_word("false") {
            *self = false;
        } else {
            return json.expected("true or false");
        }
        Some(())
    }

    fn is_absent(&self) -> bool {
        !*self
    }
}

impl Wired for f64 {
    fn blank() -> Self {
        0.0
    }

    fn pass(&mut self, json: &mut Json<'_>) -> Option<()> {
        if json.reads() {
            *self = json.read_number()?;
        } else {
            json.write_number(*self);
        }
        Some(())
    }
}

/// A whole number of whatever width.
macro_rules! whole {
    ($($type:ty),+) => {$(
        impl Wired for $type {
            fn blank() -> Self {
                0
            }

            fn pass(&mut self, json: &mut Json<'_>) -> Option<()> {
                if json.reads() {
                    *self = json.read_whole(u64::try_from(<$type>::MAX).unwrap_or(u64::MAX))? as $type;
                } else {
                    json.write_whole(u64::try_from(*self).unwrap_or(u64::MAX));
                }
                Some(())
            }
        }
    )+};
}

whole!(u32, u64, usize);

/// A kind of an enum by its name, and what makes a blank of it.
pub type Kind<T> = (&'static str, fn() -> T);

/// Reads the kind of an enum: what makes a blank of it, and whether it stands alone, without anything that it holds.
pub fn read_kind<T>(json: &mut Json<'_>, kinds: &[Kind<T>]) -> Option<(T, bool)> {
    let alone = !json.takes(b'{');
    let name = json.read_string()?;
    if !alone {
        json.take(b':')?;
    }
    match kinds.iter().find(|(known, _)| *known == name) {
        Some((_, blank)) => Some((blank(), alone)),
        None => json.fail("unknown kind", &name),
    }
}

/// Reads or writes the place of one of several words.
pub fn word(json: &mut Json<'_>, words: &[&str], place: usize) -> Option<usize> {
    if !json.reads() {
        json.write_string(words[place]);
        return Some(place);
    }
    let name = json.read_string()?;
    match words.iter().position(|known| *known == name) {
        Some(place) => Some(place),
        None => json.fail("unknown kind", &name),
    }
}

/// A kind that holds nothing.
pub fn alone(json: &mut Json<'_>, kind: &str, alone: bool) -> Option<()> {
    if !json.reads() {
        json.write_string(kind);
    } else if !alone {
        json.skip()?;
        json.take(b'}')?;
    }
    Some(())
}

/// A kind that holds something, before it.
pub fn enter(json: &mut Json<'_>, kind: &str, alone: bool) -> Option<()> {
    if !json.reads() {
        json.push("{");
        json.write_string(kind);
        json.push(":");
    } else if alone {
        return json.fail("nothing in", kind);
    }
    Some(())
}

/// A kind that holds something, behind it.
pub fn leave(json: &mut Json<'_>) -> Option<()> {
    if json.reads() {
        return json.take(b'}');
    }
    json.push("}");
    Some(())
}
