//! A map for keys that no one chooses to harm us with: places, symbols, short texts of one page that live as long as one look.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

/// A map with a hash of one multiplication a word.
pub type QuickMap<K, V> = HashMap<K, V, BuildHasherDefault<QuickHasher>>;

/// A set with the same hash.
pub type QuickSet<K> = HashSet<K, BuildHasherDefault<QuickHasher>>;

/// See [`QuickMap`].
#[derive(Clone, Copy, Debug, Default)]
pub struct QuickHasher(u64);

const FACTOR: u64 = 0x517c_c1b7_2722_0a95;

impl QuickHasher {
    fn mix(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(FACTOR);
    }
}

impl Hasher for QuickHasher {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.mix(u64::from_le_bytes(word));
        }
    }

    fn write_u8(&mut self, value: u8) {
        self.mix(u64::from(value));
    }

    fn write_u32(&mut self, value: u32) {
        self.mix(u64::from(value));
    }

    fn write_usize(&mut self, value: usize) {
        self.mix(value as u64);
    }

    fn finish(&self) -> u64 {
        // The table looks at the top bits too.
        self.0 ^ (self.0 >> 29)
    }
}
