//! Says of a type which keys it has and where they are (see `wired`).

/// A struct by its keys, each with its field. With `: Default` a key may be missing, and what is blank is the default.
macro_rules! record {
    ($type:ident $(: $default:ident $(, absent by $absent:ident)?)? { $($key:literal $field:ident),+ $(,)? }) => {
        impl Wired for $type {
            fn blank() -> Self {
                record!(@blank $($default)? { $($field),+ })
            }

            fn pass(&mut self, json: &mut Json<'_>) -> Option<()> {
                const KEYS: &[Key] = &[$(Key::of($key)),+];
                let Self { $($field),+ } = self;
                wired::record(json, KEYS, &mut [$($field as &mut dyn Wired),+])
            }

            $($(fn is_absent(&self) -> bool {
                self.$absent()
            })?)?
        }
    };
    (@blank Default { $($field:ident),+ }) => { Self::default() };
    (@blank { $($field:ident),+ }) => { Self { $($field: Wired::blank()),+ } };
}

/// An enum whose kinds hold nothing, in the order in which they are declared.
macro_rules! words {
    ($type:ident { $($word:literal $kind:ident),+ $(,)? }) => {
        impl Wired for $type {
            fn blank() -> Self {
                let [blank, ..] = [$(Self::$kind),+];
                blank
            }

            fn pass(&mut self, json: &mut Json<'_>) -> Option<()> {
                const WORDS: &[&str] = &[$($word),+];
                const KINDS: &[$type] = &[$($type::$kind),+];
                *self = KINDS[wired::word(json, WORDS, *self as usize)?];
                Some(())
            }
        }
    };
}

/// An enum whose kinds hold a value, a record or nothing.
macro_rules! choice {
    ($type:ident { $($name:literal $kind:ident $(($held:ident))? $({ $($key:literal $field:ident),+ })?),+ $(,)? }) => {
        impl Wired for $type {
            fn blank() -> Self {
                (Self::KINDS[0].1)()
            }

            fn pass(&mut self, json: &mut Json<'_>) -> Option<()> {
                let mut alone = false;
                if json.reads() {
                    (*self, alone) = wired::read_kind(json, Self::KINDS)?;
                }
                match self {
                    $(Self::$kind $(($held))? $({ $($field),+ })? => {
                        choice!(@held json $name alone $(($held))? $({ $($key $field),+ })?)
                    })+
                }
            }
        }

        impl $type {
            const KINDS: &[wired::Kind<Self>] = &[
                $(($name, || Self::$kind
                    $((choice!(@blank $held)))?
                    $({ $($field: choice!(@blank $field)),+ })?)),+
            ];
        }
    };
    (@blank $held:ident) => { Wired::blank() };
    (@held $json:ident $name:literal $alone:ident) => { wired::alone($json, $name, $alone) };
    (@held $json:ident $name:literal $alone:ident ($held:ident)) => {{
        wired::enter($json, $name, $alone)?;
        $held.pass($json)?;
        wired::leave($json)
    }};
    (@held $json:ident $name:literal $alone:ident { $($key:literal $field:ident),+ }) => {{
        const KEYS: &[Key] = &[$(Key::of($key)),+];
        wired::enter($json, $name, $alone)?;
        wired::record($json, KEYS, &mut [$($field as &mut dyn Wired),+])?;
        wired::leave($json)
    }};
}

pub(super) use {choice, record, words};
