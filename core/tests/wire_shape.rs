//! What a probe reads and writes (`Wired`) is what `serde`, and with it the host, reads and writes. The messages are made by
//! `serde`'s own derived readers, out of dice: a key or a kind that is added to a type is thrown here from then on.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::fmt::Debug;

use cairn_core::wire::page::{FromPage, ToPage};
use cairn_core::wire::{self, NUMBERS, Wired};
use proptest::prelude::*;
use serde::de::value::{BytesDeserializer, StrDeserializer};
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, IntoDeserializer, MapAccess, SeqAccess,
    VariantAccess, Visitor,
};
use serde::{Serialize, forward_to_deserialize_any};
use serde_json::Value;

type Failure = serde::de::value::Error;

/// A source of any value whatever: each byte decides one thing; when they are used up, everything is short and plain.
struct Dice<'a>(&'a mut std::vec::IntoIter<u8>);

const TEXTS: [&str; 8] = [
    "",
    "a",
    "Straße \u{1F600}",
    "\" \\ /",
    "line\nline\ttab\r",
    "\u{1}\u{8}\u{c}\u{1f}\u{7f}",
    "%name%",
    "null",
];
const NUMBERS_THROWN: [f64; 8] = [0.0, 1.0, -7.0, 0.5, 1280.125, 0.1 + 0.2, 1.0 / 3.0, -1.5e300];

impl Dice<'_> {
    fn throw(&mut self, sides: usize) -> usize {
        usize::from(self.0.next().unwrap_or_default()) % sides
    }

    fn again(&mut self) -> Dice<'_> {
        Dice(self.0)
    }

    fn whole(&mut self) -> u32 {
        [0, 1, 7, 250, 65_536, u32::MAX][self.throw(6)]
    }
}

impl<'de> Deserializer<'de> for Dice<'_> {
    type Error = Failure;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        visitor.visit_unit()
    }

    fn deserialize_bool<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Failure> {
        visitor.visit_bool(self.throw(2) == 1)
    }

    fn deserialize_u32<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Failure> {
        visitor.visit_u32(self.whole())
    }

    fn deserialize_u64<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Failure> {
        visitor.visit_u64(u64::from(self.whole()) << self.throw(20))
    }

    fn deserialize_f64<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Failure> {
        visitor.visit_f64(NUMBERS_THROWN[self.throw(8)])
    }

    fn deserialize_string<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Failure> {
        visitor.visit_str(TEXTS[self.throw(8)])
    }

    fn deserialize_option<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Failure> {
        if self.throw(2) == 0 { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Failure> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Failure> {
        let count = self.throw(3);
        visitor.visit_seq(Several { dice: self, keys: &[], count })
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, count: usize, visitor: V) -> Result<V::Value, Failure> {
        visitor.visit_seq(Several { dice: self, keys: &[], count })
    }

    fn deserialize_map<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Failure> {
        let count = self.throw(3);
        visitor.visit_map(Several { dice: self, keys: &["one", "two \"quoted\""], count })
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        keys: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Failure> {
        visitor.visit_map(Several { dice: self, keys, count: keys.len() })
    }

    fn deserialize_enum<V: Visitor<'de>>(
        mut self,
        _: &'static str,
        kinds: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Failure> {
        let kind = kinds[self.throw(kinds.len())];
        visitor.visit_enum(Kind(kind, self))
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i64 i128 u8 u16 u128 f32 char str bytes byte_buf unit unit_struct tuple_struct identifier ignored_any
    }
}

struct Several<'a> {
    dice: Dice<'a>,
    keys: &'static [&'static str],
    count: usize,
}

impl<'de> SeqAccess<'de> for Several<'_> {
    type Error = Failure;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Failure> {
        let Some(left) = self.count.checked_sub(1) else { return Ok(None) };
        self.count = left;
        seed.deserialize(self.dice.again()).map(Some)
    }
}

impl<'de> MapAccess<'de> for Several<'_> {
    type Error = Failure;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Failure> {
        let Some(left) = self.count.checked_sub(1) else { return Ok(None) };
        self.count = left;
        let key: StrDeserializer<'_, Failure> = self.keys[left].into_deserializer();
        seed.deserialize(key).map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Failure> {
        seed.deserialize(self.dice.again())
    }
}

struct Kind<'a>(&'static str, Dice<'a>);

impl<'a, 'de> EnumAccess<'de> for Kind<'a> {
    type Error = Failure;
    type Variant = Dice<'a>;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Dice<'a>), Failure> {
        let kind: BytesDeserializer<'_, Failure> = self.0.as_bytes().into_deserializer();
        Ok((seed.deserialize(kind)?, self.1))
    }
}

impl<'de> VariantAccess<'de> for Dice<'_> {
    type Error = Failure;

    fn unit_variant(self) -> Result<(), Failure> {
        Ok(())
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, Failure> {
        seed.deserialize(self)
    }

    fn tuple_variant<V: Visitor<'de>>(self, count: usize, visitor: V) -> Result<V::Value, Failure> {
        self.deserialize_tuple(count, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        keys: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Failure> {
        self.deserialize_struct("", keys, visitor)
    }
}

/// A message out of dice, as it is after one way over the wire: numbers of a script are rounded on it.
fn thrown<T: DeserializeOwned + Serialize>(bytes: Vec<u8>) -> T {
    let message = T::deserialize(Dice(&mut bytes.into_iter())).unwrap();
    serde_json::from_str(&serde_json::to_string(&message).unwrap()).unwrap()
}

/// The message as JSON with every number as a float: `5` and `5.0` are the same to every reader.
fn plain(value: Value) -> Value {
    match value {
        Value::Number(number) => number.as_f64().into(),
        Value::Array(items) => items.into_iter().map(plain).collect(),
        Value::Object(entries) => entries.into_iter().map(|(key, value)| (key, plain(value))).collect(),
        other => other,
    }
}

/// Takes keys out of objects, and puts one in that nobody knows, as the dice say.
fn mangle(value: &mut Value, dice: &mut Dice<'_>) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| mangle(item, dice)),
        Value::Object(entries) => {
            entries.retain(|_, _| dice.throw(12) != 5);
            entries.values_mut().for_each(|value| mangle(value, dice));
            if entries.len() > 1 && dice.throw(4) == 3 {
                entries.insert(
                    "unheardOf".to_owned(),
                    serde_json::json!([{"a": [1.5e3, "}"], "b": {}}, [], null]),
                );
            }
        }
        _ => {}
    }
}

fn agree<T: Wired + DeserializeOwned + Serialize + Debug + PartialEq>(bytes: Vec<u8>, more: Vec<u8>) {
    let mut message: T = thrown(bytes);
    let by_serde = serde_json::to_value(&message).unwrap();
    for text in [by_serde.to_string(), serde_json::to_string_pretty(&by_serde).unwrap()] {
        assert_eq!(wire::read::<T>(&text, &NUMBERS).as_ref(), Ok(&message), "{text}");
        for cut in (0..text.len()).filter(|at| text.is_char_boundary(*at)).step_by(29) {
            assert!(wire::read::<T>(&text[..cut], &NUMBERS).is_err(), "{}", &text[..cut]);
        }
    }
    let ours = wire::write(&mut message, &NUMBERS);
    assert_eq!(plain(serde_json::from_str(&ours).unwrap()), plain(by_serde.clone()));

    let mut mangled = by_serde;
    mangle(&mut mangled, &mut Dice(&mut more.into_iter()));
    let text = mangled.to_string();
    let (ours, theirs) = (wire::read::<T>(&text, &NUMBERS), serde_json::from_str::<T>(&text));
    match theirs {
        Ok(theirs) => assert_eq!(ours, Ok(theirs), "{text}"),
        Err(error) => assert!(ours.is_err(), "serde says {error} of {text}"),
    }
}

fn dice() -> impl Strategy<Value = (Vec<u8>, Vec<u8>)> {
    let bytes = || prop::collection::vec(any::<u8>(), 0..400);
    (bytes(), bytes())
}

proptest! {
    #[test]
    fn to_a_probe((bytes, more) in dice()) {
        agree::<ToPage>(bytes, more);
    }

    #[test]
    fn from_a_probe((bytes, more) in dice()) {
        agree::<FromPage>(bytes, more);
    }
}

#[test]
fn every_kind_of_message_is_thrown() {
    let after = |kinds: &[u8], step: u8| {
        kinds.iter().copied().chain((0..200_u8).map(|at| at.wrapping_mul(step))).collect::<Vec<u8>>()
    };
    for kind in 0..12 {
        for step in [37, 53] {
            agree::<ToPage>(after(&[kind], step), vec![5; 9]);
            for held in 0..7 {
                agree::<FromPage>(after(&[kind % 3, held], step), vec![1; 9]);
            }
        }
    }
}

#[test]
fn what_is_no_message_is_refused_with_its_number() {
    for (text, id, why) in [
        (r#"{"id":7,"request":"dance"}"#, 7, "unknown kind `dance`"),
        (r#"{"id":7,"request":{"proceed":{"run":"r"}}}"#, 7, "no `number`"),
        (r#"{"id":7}"#, 7, "no `request`"),
        (r#"{"id":7,"request":{"list":{"boundMs":1.5}}}"#, 7, "expected a whole number within its bounds"),
        (r#"{"id":7,"request":{"list":{"all":1}}}"#, 7, "expected true or false"),
        (r#"{"id":7,"request":"snapshot"} more"#, 0, "expected the end"),
        (r#"{"id":7,"request":{"build":{"from":"\ud800"}}}"#, 0, "expected both halves of a character"),
        ("[]", 0, "expected an object"),
        ("", 0, "expected an object"),
    ] {
        let error = wire::read::<ToPage>(text, &NUMBERS).unwrap_err();
        assert_eq!(error.to_string(), why, "{text}");
        assert_eq!(wire::read_id(text, &NUMBERS), id, "{text}");
    }
}

#[test]
fn null_stands_for_a_key_that_is_not_there() {
    let text = r#"{"id":1,"request":{"play":{"run":"r","prior":null,"steps":[{"Instruction":null,"Action":{"Target":null}}]}}}"#;
    assert_eq!(wire::read::<ToPage>(text, &NUMBERS).unwrap(), serde_json::from_str(text).unwrap());
}
