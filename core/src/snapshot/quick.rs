//! A map for keys that no one chooses to harm us with: places, symbols, short texts of one page that live as long as one look.
//!
//! Nothing is ever taken out of it. What looks for a place and what grows is compiled once, whatever the types are.

use std::borrow::Borrow;
use std::hash::{Hash, Hasher};

/// A map with a hash of one multiplication a word.
#[derive(Clone, Debug)]
pub struct QuickMap<K, V> {
    places: Places,
    entries: Vec<(K, V)>,
}

/// A set with the same hash.
#[derive(Clone, Debug)]
pub struct QuickSet<K>(QuickMap<K, ()>);

/// Where the entries of each hash are.
#[derive(Clone, Debug, Default)]
struct Places {
    /// By the low bits of the hash, and on from there: the place of an entry plus one; 0 where there is none.
    slots: Vec<u32>,
    /// Of the entries, in their order.
    hashes: Vec<u32>,
}

impl Places {
    /// The place of the entry with this hash of which `is_it` is true.
    fn find(&self, hash: u32, is_it: &mut dyn FnMut(usize) -> bool) -> Option<usize> {
        let mask = self.slots.len().checked_sub(1)?;
        let mut at = hash as usize & mask;
        loop {
            let place = (*self.slots.get(at)? as usize).checked_sub(1)?;
            if self.hashes.get(place) == Some(&hash) && is_it(place) {
                return Some(place);
            }
            at = (at + 1) & mask;
        }
    }

    /// Notes an entry behind the last one.
    fn push(&mut self, hash: u32) {
        self.hashes.push(hash);
        if self.hashes.len() * 4 > self.slots.len() * 3 {
            self.slots = vec![0; (self.slots.len() * 2).max(8)];
            for place in 0..self.hashes.len() {
                self.settle(place);
            }
        } else {
            self.settle(self.hashes.len() - 1);
        }
    }

    fn settle(&mut self, place: usize) {
        let mask = self.slots.len() - 1;
        let mut at = self.hashes[place] as usize & mask;
        while self.slots[at] != 0 {
            at = (at + 1) & mask;
        }
        self.slots[at] = place as u32 + 1;
    }
}

impl<K, V> Default for QuickMap<K, V> {
    fn default() -> Self {
        Self { places: Places::default(), entries: Vec::new() }
    }
}

fn hash_of<Q: Hash + ?Sized>(key: &Q) -> u32 {
    let mut hasher = QuickHasher::default();
    key.hash(&mut hasher);
    // The high bits are the ones that every word has gone into.
    (hasher.finish() >> 32) as u32
}

impl<K: Hash + Eq, V> QuickMap<K, V> {
    fn place<Q: Hash + Eq + ?Sized>(&self, hash: u32, key: &Q) -> Option<usize>
    where
        K: Borrow<Q>,
    {
        self.places.find(hash, &mut |place| self.entries[place].0.borrow() == key)
    }

    /// The value under a key.
    pub fn get<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        let place = self.place(hash_of(key), key)?;
        Some(&self.entries[place].1)
    }

    /// True where the key is there.
    pub fn contains_key<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.place(hash_of(key), key).is_some()
    }

    /// Puts a value in; what stood under the key before.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        let hash = hash_of(&key);
        if let Some(place) = self.place(hash, &key) {
            return Some(std::mem::replace(&mut self.entries[place].1, value));
        }
        self.places.push(hash);
        self.entries.push((key, value));
        None
    }

    /// The value under a key, which may not be there yet.
    pub fn entry(&mut self, key: K) -> Entry<'_, K, V> {
        Entry { map: self, key }
    }

    /// True where nothing is in it.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

/// See [`QuickMap::entry`].
pub struct Entry<'a, K, V> {
    map: &'a mut QuickMap<K, V>,
    key: K,
}

impl<'a, K: Hash + Eq, V> Entry<'a, K, V> {
    /// The value, one that `make` makes where there was none.
    pub fn or_insert_with(self, make: impl FnOnce() -> V) -> &'a mut V {
        let Self { map, key } = self;
        let hash = hash_of(&key);
        let place = map.place(hash, &key).unwrap_or_else(|| {
            map.places.push(hash);
            map.entries.push((key, make()));
            map.entries.len() - 1
        });
        &mut map.entries[place].1
    }

    /// The value, this one where there was none.
    pub fn or_insert(self, value: V) -> &'a mut V {
        self.or_insert_with(|| value)
    }

    /// The value, a blank one where there was none.
    pub fn or_default(self) -> &'a mut V
    where
        V: Default,
    {
        self.or_insert_with(V::default)
    }
}

impl<K: Hash + Eq, V> FromIterator<(K, V)> for QuickMap<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut map = Self::default();
        entries.into_iter().for_each(|(key, value)| drop(map.insert(key, value)));
        map
    }
}

impl<K> Default for QuickSet<K> {
    fn default() -> Self {
        Self(QuickMap::default())
    }
}

impl<K: Hash + Eq> QuickSet<K> {
    /// Puts a key in; true where it was not there.
    pub fn insert(&mut self, key: K) -> bool {
        self.0.insert(key, ()).is_none()
    }

    /// True where nothing is in it.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<K: Hash + Eq> FromIterator<K> for QuickSet<K> {
    fn from_iter<I: IntoIterator<Item = K>>(keys: I) -> Self {
        Self(keys.into_iter().map(|key| (key, ())).collect())
    }
}

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

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_behaves_as_the_standard_librarys(acts in prop::collection::vec((0..4, "[ab]{0,3}", any::<u8>()), 0..80)) {
            let (mut ours, mut theirs) = (QuickMap::default(), HashMap::new());
            for (act, key, value) in acts {
                match act {
                    0 => *ours.entry(key.clone()).or_default() = *theirs.entry(key.clone()).or_default(),
                    1 => prop_assert_eq!(ours.entry(key.clone()).or_insert(value), theirs.entry(key.clone()).or_insert(value)),
                    2 => prop_assert_eq!(ours.insert(key.clone(), value), theirs.insert(key.clone(), value)),
                    _ => {}
                }
                prop_assert_eq!(ours.get(key.as_str()), theirs.get(key.as_str()));
                prop_assert_eq!(ours.contains_key(&key), theirs.contains_key(&key));
                prop_assert_eq!(ours.is_empty(), theirs.is_empty());
            }
        }

        #[test]
        fn many_keys_are_each_found(keys in prop::collection::hash_set(any::<u32>(), 0..2000)) {
            let map: QuickMap<u32, u32> = keys.iter().map(|key| (*key, !*key)).collect();
            prop_assert!(keys.iter().all(|key| map.get(key) == Some(&!*key)));
            let mut set: QuickSet<u32> = keys.iter().copied().collect();
            prop_assert!(keys.iter().all(|key| !set.insert(*key)));
        }
    }
}
