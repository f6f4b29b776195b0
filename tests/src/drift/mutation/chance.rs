//! Seeded chance: the same mutant on every machine.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// A seeded source of choices.
pub struct Chance(ChaCha8Rng);

impl Chance {
    /// Starts from `seed`.
    pub fn new(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    /// A number below `limit`; 0 where that is 0.
    pub fn below(&mut self, limit: usize) -> usize {
        if limit == 0 { 0 } else { (self.0.next_u64() % limit as u64) as usize }
    }

    /// True once in `of` times.
    pub fn once_in(&mut self, of: usize) -> bool {
        self.below(of) == 0
    }

    /// One of a list.
    pub fn one_of<'l, T>(&mut self, list: &'l [T]) -> Option<&'l T> {
        list.get(self.below(list.len()))
    }

    /// A word that nobody chose.
    pub fn hash(&mut self) -> String {
        format!("x{:08x}", self.0.next_u64() as u32)
    }
}
