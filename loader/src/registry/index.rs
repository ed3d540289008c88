//! From a name to its place in the table.
//!
//! A map that never changes, packed: eight bytes a slot, and all names in one piece. Of ten thousand tools it takes
//! a third of the memory that a map of strings takes, so that a look-up finds it in a core's own cache.

use std::hash::BuildHasher;

use foldhash::fast::RandomState;

/// The places of distinct names.
#[derive(Default)]
pub(super) struct Index {
    hasher: RandomState,
    /// As many as a power of two, less than half of them taken, so that the first is mostly the right one; empty if
    /// there are no names.
    slots: Box<[Slot]>,
    names: Box<[u8]>,
    /// Where each name begins, and where the last one ends.
    bounds: Box<[u32]>,
}

#[derive(Clone, Copy)]
struct Slot {
    /// The upper half of the name's hash, so that hardly any other name is ever compared.
    tag: u32,
    /// [`FREE`] if nothing is here.
    place: u32,
}

const FREE: u32 = u32::MAX;

impl Index {
    /// The index of names that stand at 0, 1, 2 and so on.
    pub(super) fn new<'a>(names: impl ExactSizeIterator<Item = &'a str>) -> Self {
        if names.len() == 0 {
            return Self::default();
        }
        let size = (names.len() * 2 + 1).next_power_of_two();
        let mut index = Index { slots: vec![Slot { tag: 0, place: FREE }; size].into(), ..Self::default() };
        let mut text = Vec::new();
        let mut bounds = vec![0];
        for (name, place) in names.zip(0..) {
            text.extend_from_slice(name.as_bytes());
            bounds.push(u32::try_from(text.len()).expect("names have at most 64 bytes each"));
            let (mut at, tag) = index.start(name.as_bytes());
            while index.slots[at].place != FREE {
                at = (at + 1) & (size - 1);
            }
            index.slots[at] = Slot { tag, place };
        }
        index.names = text.into();
        index.bounds = bounds.into();
        index
    }

    /// The place of `name`, if it has one.
    #[inline]
    pub(super) fn get(&self, name: &str) -> Option<usize> {
        let name = name.as_bytes();
        let (mut at, tag) = self.start(name);
        loop {
            // There is always a free slot, so this ends; with no slots at all it ends here.
            let slot = self.slots.get(at)?;
            if slot.place == FREE {
                return None;
            }
            if slot.tag == tag && self.name(slot.place) == name {
                return Some(slot.place as usize);
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
    }

    fn start(&self, name: &[u8]) -> (usize, u32) {
        let hash = self.hasher.hash_one(name);
        ((hash as usize) & self.slots.len().wrapping_sub(1), (hash >> 32) as u32)
    }

    fn name(&self, place: u32) -> &[u8] {
        let place = place as usize;
        &self.names[self.bounds[place] as usize..self.bounds[place + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_has_its_own_place_and_no_other_name_has_one() {
        for count in [0, 1, 2, 3, 7, 100, 5_000] {
            let names: Vec<String> = (0..count).map(|number| format!("tool_{number}")).collect();
            let index = Index::new(names.iter().map(String::as_str));
            for (place, name) in names.iter().enumerate() {
                assert_eq!(index.get(name), Some(place), "{name} of {count}");
            }
            for other in ["", "tool_", "Tool_0", "tool_00", &format!("tool_{count}")] {
                assert_eq!(index.get(other), None, "{other} of {count}");
            }
        }
    }
}
