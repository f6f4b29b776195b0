//! Numbers in JSON. Almost all are whole or have few decimals and are read and written here; the others need the long tables
//! that every language has once already, so whoever reads or writes says where to find them.

/// How numbers are read and written that [`read`] and [`write`] leave alone.
pub struct Numbers {
    /// The nearest number to a JSON number's text.
    pub read: fn(&str) -> Option<f64>,
    /// A JSON number's text that reads as exactly this, which is finite.
    pub write: fn(f64) -> String,
}

/// As the standard library does it.
#[cfg(not(target_arch = "wasm32"))]
pub static NUMBERS: Numbers = Numbers { read: |text| text.parse().ok(), write: |value| format!("{value}") };

/// Every whole number up to here is exact.
const EXACT: u64 = 1 << 53;

/// Powers of ten up to this one are exact too.
const EXACT_POWER: i32 = 22;

/// The number that a JSON number's text means, where one division or multiplication of exact numbers gives it.
pub(super) fn read(text: &str) -> Option<f64> {
    let (negative, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
    let (mantissa, exponent) = digits.split_once(['e', 'E']).unwrap_or((digits, "0"));
    let (whole, decimals) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let mut value = 0_u64;
    for digit in whole.bytes().chain(decimals.bytes()) {
        value = value.checked_mul(10)?.checked_add(u64::from(digit - b'0'))?;
    }
    let power = exponent.parse::<i32>().ok()?.checked_sub(decimals.len() as i32)?;
    if value > EXACT || power.abs() > EXACT_POWER {
        return None;
    }
    let scale = (0..power.abs()).fold(1.0, |scale, _| scale * 10.0);
    let value = if power < 0 { value as f64 / scale } else { value as f64 * scale };
    Some(if negative { -value } else { value })
}

/// Writes a number with up to three decimals; false, and nothing, where it has more.
#[expect(clippy::float_cmp, reason = "exactly this number is to be read again")]
pub(super) fn write(out: &mut String, value: f64) -> bool {
    let size = value.abs();
    for (decimals, scale) in [(0, 1), (1, 10), (2, 100), (3, 1000)] {
        let scaled = (size * f64::from(scale)).round();
        if scaled > EXACT as f64 {
            return false;
        }
        if scaled / f64::from(scale) != size {
            continue;
        }
        let scaled = scaled as u64;
        if value < 0.0 {
            out.push('-');
        }
        write_whole(out, scaled / scale as u64);
        if decimals > 0 {
            out.push('.');
            let mut left = scaled % scale as u64;
            for place in (0..decimals).rev() {
                let unit = 10_u64.pow(place);
                out.push(char::from(b'0' + (left / unit) as u8));
                left %= unit;
            }
        }
        return true;
    }
    false
}

/// Writes a whole number.
pub(super) fn write_whole(out: &mut String, mut whole: u64) {
    let mut digits = [0_u8; 20];
    let mut from = digits.len();
    loop {
        from -= 1;
        digits[from] = b'0' + (whole % 10) as u8;
        whole /= 10;
        if whole == 0 {
            break;
        }
    }
    out.extend(digits[from..].iter().map(|digit| char::from(*digit)));
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "exactly the number is wanted")]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn written(value: f64) -> Option<String> {
        let mut text = String::new();
        write(&mut text, value).then_some(text)
    }

    #[test]
    fn few_decimals_are_written_here() {
        let texts = [0.0, 5.0, -3.0, 0.5, -0.25, 1280.125, 0.3].map(written);
        let expected = ["0", "5", "-3", "0.5", "-0.25", "1280.125", "0.3"].map(|text| Some(text.to_owned()));
        assert_eq!(texts, expected);
        assert_eq!([0.1 + 0.2, 1e300, 1.0 / 3.0].map(written), [None, None, None]);
    }

    proptest! {
        #[test]
        fn what_is_written_reads_the_same(value in prop_oneof![
            any::<f64>().prop_filter("finite", |value| value.is_finite()),
            (-10_000_000_i64..10_000_000).prop_map(|value| value as f64 / 1000.0),
        ]) {
            if let Some(text) = written(value) {
                prop_assert_eq!(text.parse::<f64>().unwrap(), value);
                prop_assert_eq!(serde_json::from_str::<f64>(&text).unwrap(), value);
            }
        }

        #[test]
        fn what_is_read_here_is_the_nearest(text in "-?(0|[1-9][0-9]{0,18})(\\.[0-9]{1,8})?([eE][+-]?[0-9]{1,3})?") {
            if let Some(value) = read(&text) {
                prop_assert_eq!(value, text.parse::<f64>().unwrap());
            }
        }

        #[test]
        fn whole_numbers_are_exact(whole: u64) {
            let mut text = String::new();
            write_whole(&mut text, whole);
            prop_assert_eq!(text, whole.to_string());
        }
    }
}
