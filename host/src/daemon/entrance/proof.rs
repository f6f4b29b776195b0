//! Proof of a pairing key, both ways: HMAC-SHA256 over the two nonces of a socket.

use hmac::{Hmac, KeyInit as _, Mac as _};
use rand::TryRng as _;
use sha2::Sha256;
use subtle::ConstantTimeEq as _;

/// Who speaks: the prefix keeps one side's proof from being sent back as the other's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The extension's worker.
    Worker,
    /// This host.
    Host,
}

/// hex(HMAC-SHA256(secret, "cairn <side>\n<host nonce>\n<worker nonce>")). The secret is taken as its text's bytes.
pub fn mac(secret: &str, side: Side, host_nonce: &str, worker_nonce: &str) -> String {
    let side = match side {
        Side::Worker => "worker",
        Side::Host => "host",
    };
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret.as_bytes()) else {
        // HMAC takes keys of every length; an empty text matches no proof.
        return String::new();
    };
    mac.update(format!("cairn {side}\n{host_nonce}\n{worker_nonce}").as_bytes());
    hex(&mac.finalize().into_bytes())
}

/// Compares two texts in a time that does not depend on where they differ.
pub fn same(left: &str, right: &str) -> bool {
    !left.is_empty() && left.as_bytes().ct_eq(right.as_bytes()).into()
}

/// `bytes` random bytes in hex.
///
/// # Errors
/// The system has no randomness to give.
pub fn random_hex(bytes: usize) -> std::io::Result<String> {
    let mut buffer = vec![0; bytes];
    rand::rngs::SysRng.try_fill_bytes(&mut buffer).map_err(std::io::Error::other)?;
    Ok(hex(&buffer))
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mac_is_the_documented_one() {
        // printf 'cairn worker\naa\nbb' | openssl dgst -sha256 -hmac secret
        let expected = "a41d04a703014c7e87397677935f355069d4e0a506e937b1fa1f1a62581525a3";
        assert_eq!(mac("secret", Side::Worker, "aa", "bb"), expected);
        assert_ne!(mac("secret", Side::Host, "aa", "bb"), expected);
        assert_ne!(mac("other", Side::Worker, "aa", "bb"), expected);
    }

    #[test]
    fn nothing_is_not_a_proof() {
        assert!(!same("", ""));
        assert!(same("ab", "ab"));
        assert!(!same("ab", "ac"));
        assert!(!same("ab", "abc"));
    }

    #[test]
    fn random_texts_differ() {
        let one = random_hex(32).unwrap();
        assert_eq!(one.len(), 64);
        assert_ne!(one, random_hex(32).unwrap());
    }
}
