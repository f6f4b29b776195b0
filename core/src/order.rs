//! Sorting, compiled once. The standard library's sort is made anew for each type of element; the handful that the probe
//! needs would be a tenth of its code. These sort the same way, stably, by way of one sort over places.

use std::cmp::Ordering;

/// Sorts by comparison; equal ones keep their order.
pub fn sort_by<T>(items: &mut Vec<T>, mut compare: impl FnMut(&T, &T) -> Ordering) {
    let order = sorted_places(items.len(), &mut |left, right| compare(&items[left], &items[right]));
    let mut taken: Vec<Option<T>> = items.drain(..).map(Some).collect();
    items.extend(order.into_iter().filter_map(|place| taken[place].take()));
}

/// Sorts by a key; equal ones keep their order.
pub fn sort_by_key<T, K: Ord>(items: &mut Vec<T>, mut key: impl FnMut(&T) -> K) {
    sort_by(items, |left, right| key(left).cmp(&key(right)));
}

/// Sorts plain values, which are quick to copy and to compare.
pub fn sort<T: Copy + Ord>(items: &mut Vec<T>) {
    let mut width = 1;
    while width < items.len() {
        let mut merged = Vec::with_capacity(items.len());
        for run in items.chunks(2 * width) {
            let (left, right) = run.split_at(width.min(run.len()));
            merge(left, right, &mut merged);
        }
        *items = merged;
        width *= 2;
    }
}

fn merge<'a, T: Copy + Ord>(mut left: &'a [T], mut right: &'a [T], merged: &mut Vec<T>) {
    // What is in order already is only copied.
    if left.last() > right.first() {
        while let (Some(first), Some(second)) = (left.first(), right.first()) {
            let (next, side) = if second < first { (second, &mut right) } else { (first, &mut left) };
            merged.push(*next);
            *side = &side[1..];
        }
    }
    merged.extend_from_slice(left);
    merged.extend_from_slice(right);
}

/// The places 0 to `count`, in the order of what stands there: a merge sort from the bottom up.
fn sorted_places(count: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    let mut width = 1;
    while width < count {
        let mut merged = Vec::with_capacity(count);
        for run in order.chunks(2 * width) {
            let (mut left, mut right) = run.split_at(width.min(run.len()));
            while let (Some(first), Some(second)) = (left.first(), right.first()) {
                if compare(*first, *second) == Ordering::Greater {
                    merged.push(*second);
                    right = &right[1..];
                } else {
                    merged.push(*first);
                    left = &left[1..];
                }
            }
            merged.extend_from_slice(left);
            merged.extend_from_slice(right);
        }
        order = merged;
        width *= 2;
    }
    order
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_is_the_standard_librarys_order(items in prop::collection::vec((0_u8..8, any::<u16>()), 0..200)) {
            let (mut ours, mut theirs) = (items.clone(), items);
            sort_by_key(&mut ours, |item| item.0);
            theirs.sort_by_key(|item| item.0);
            prop_assert_eq!(ours, theirs);
        }

        #[test]
        fn plain_values_are_in_order(items in prop::collection::vec((0_u64..20, any::<u32>()), 0..200)) {
            let (mut ours, mut theirs) = (items.clone(), items);
            sort(&mut ours);
            theirs.sort_unstable();
            prop_assert_eq!(ours, theirs);
        }
    }
}
