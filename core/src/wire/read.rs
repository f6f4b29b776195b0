//! Reads a message in the page. A derived reader is made once for each kind of input; this one has a single, small kind, a
//! parsed JSON value, takes structs from objects only and says little about faults. `serde_json`'s own, which also takes
//! structs from arrays and says where a fault stands, makes the probe much larger.

use std::fmt::{self, Display};

use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, Error as _, Expected, MapAccess, SeqAccess,
    Unexpected, VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;
use serde_json::{Map, Number, Value, map};

/// Why a message could not be read.
#[derive(Debug)]
pub struct ReadError(String);

/// Reads a message.
///
/// # Errors
/// The text is no JSON, or not this message.
pub fn read<T: DeserializeOwned>(text: &str) -> Result<T, ReadError> {
    let value = serde_json::from_str::<Value>(text).map_err(|_| ReadError::custom("no JSON"))?;
    T::deserialize(Reader(value))
}

impl Display for ReadError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for ReadError {}

impl serde::de::Error for ReadError {
    fn custom<T: Display>(message: T) -> Self {
        Self(message.to_string())
    }

    fn invalid_type(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self(format!("expected {expected}"))
    }

    fn invalid_value(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self(format!("expected {expected}"))
    }

    fn unknown_variant(variant: &str, _: &'static [&'static str]) -> Self {
        Self(format!("unknown kind `{variant}`"))
    }

    fn unknown_field(field: &str, _: &'static [&'static str]) -> Self {
        Self(format!("unknown field `{field}`"))
    }

    fn missing_field(field: &'static str) -> Self {
        Self(format!("no `{field}`"))
    }

    fn duplicate_field(field: &'static str) -> Self {
        Self(format!("two `{field}`"))
    }
}

struct Reader(Value);

impl Reader {
    fn number<'de, V: Visitor<'de>>(number: &Number, visitor: V) -> Result<V::Value, ReadError> {
        if let Some(number) = number.as_u64() {
            visitor.visit_u64(number)
        } else if let Some(number) = number.as_i64() {
            visitor.visit_i64(number)
        } else {
            visitor.visit_f64(number.as_f64().unwrap_or(f64::NAN))
        }
    }
}

fn wrong<T>(visitor: &dyn Expected) -> Result<T, ReadError> {
    Err(ReadError::invalid_type(Unexpected::Unit, visitor))
}

impl<'de> Deserializer<'de> for Reader {
    type Error = ReadError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(value),
            Value::Number(number) => Self::number(&number, visitor),
            Value::String(text) => visitor.visit_string(text),
            Value::Array(items) => visitor.visit_seq(Items(items.into_iter())),
            Value::Object(entries) => visitor.visit_map(Entries::of(entries)),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self.0 {
            Value::Bool(value) => visitor.visit_bool(value),
            _ => wrong(&visitor),
        }
    }

    fn deserialize_u64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self.0 {
            Value::Number(number) => Self::number(&number, visitor),
            _ => wrong(&visitor),
        }
    }

    fn deserialize_u32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        self.deserialize_u64(visitor)
    }

    fn deserialize_u16<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        self.deserialize_u64(visitor)
    }

    fn deserialize_u8<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        self.deserialize_u64(visitor)
    }

    fn deserialize_i64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        self.deserialize_u64(visitor)
    }

    fn deserialize_i32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        self.deserialize_u64(visitor)
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        self.deserialize_u64(visitor)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self.0 {
            Value::String(text) => visitor.visit_string(text),
            _ => wrong(&visitor),
        }
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        self.deserialize_string(visitor)
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self.0 {
            Value::String(text) => visitor.visit_str(&text),
            _ => wrong(&visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self.0 {
            Value::Null => visitor.visit_none(),
            value => visitor.visit_some(Self(value)),
        }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self.0 {
            Value::Array(items) => visitor.visit_seq(Items(items.into_iter())),
            _ => wrong(&visitor),
        }
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self.0 {
            Value::Object(entries) => visitor.visit_map(Entries::of(entries)),
            _ => wrong(&visitor),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        self.deserialize_map(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        match self.0 {
            Value::String(kind) => visitor.visit_enum(Kind(kind, None)),
            Value::Object(entries) => match entries.into_iter().next() {
                Some((kind, value)) => visitor.visit_enum(Kind(kind, Some(value))),
                None => wrong(&visitor),
            },
            _ => wrong(&visitor),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! { i8 i16 i128 u128 f32 char bytes byte_buf unit unit_struct tuple tuple_struct }
}

struct Items(std::vec::IntoIter<Value>);

impl<'de> SeqAccess<'de> for Items {
    type Error = ReadError;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, ReadError> {
        self.0.next().map(|value| seed.deserialize(Reader(value))).transpose()
    }
}

struct Entries {
    entries: map::IntoIter,
    value: Value,
}

impl Entries {
    fn of(entries: Map<String, Value>) -> Self {
        Self { entries: entries.into_iter(), value: Value::Null }
    }
}

impl<'de> MapAccess<'de> for Entries {
    type Error = ReadError;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, ReadError> {
        let Some((key, value)) = self.entries.next() else { return Ok(None) };
        self.value = value;
        seed.deserialize(Reader(Value::String(key))).map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, ReadError> {
        seed.deserialize(Reader(self.value.take()))
    }
}

/// An enum: the name of its kind, and what the kind holds.
struct Kind(String, Option<Value>);

impl<'de> EnumAccess<'de> for Kind {
    type Error = ReadError;
    type Variant = Held;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Held), ReadError> {
        Ok((seed.deserialize(Reader(Value::String(self.0)))?, Held(self.1)))
    }
}

struct Held(Option<Value>);

impl<'de> VariantAccess<'de> for Held {
    type Error = ReadError;

    fn unit_variant(self) -> Result<(), ReadError> {
        Ok(())
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, ReadError> {
        seed.deserialize(Reader(self.0.unwrap_or_default()))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, ReadError> {
        Reader(self.0.unwrap_or_default()).deserialize_seq(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        Reader(self.0.unwrap_or_default()).deserialize_map(visitor)
    }
}
