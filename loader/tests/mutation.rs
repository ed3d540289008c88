use std::hash::{BuildHasher, Hasher};

use toolrack::probe::Target;

use crate::laws::{linux, probed_for};
use crate::seeds;

/// Changes of each file. Many more are the fuzzer's work.
const ROUNDS: u32 = 150;

/// Small, and good enough to choose bytes.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }
}

const ODD: [u64; 12] =
    [0, 1, 2, 0x7f, 0x80, 0xff, 0xffff, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, i64::MAX as u64, u64::MAX];

fn mutate(bytes: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..=random.below(3) {
        // Headers stand at the start more often than not.
        let end = if random.below(2) == 0 { bytes.len().min(1024) } else { bytes.len() };
        let at = random.below(end);
        let len = [1, 2, 4, 8][random.below(4)].min(bytes.len() - at);
        match random.below(8) {
            0 => bytes.truncate(at.max(1)),
            1 => bytes[at] ^= 1 << random.below(8),
            2 => bytes[at] = random.next() as u8,
            3 => {
                let from = random.below(bytes.len() - len + 1);
                bytes.copy_within(from..from + len, at);
            }
            4 => {
                let step = random.below(64) as u8;
                bytes[at] = bytes[at].wrapping_add(step);
            }
            _ => {
                let raw = ODD[random.below(ODD.len())];
                let raw = if random.below(4) == 0 { raw.to_be_bytes() } else { raw.to_le_bytes() };
                bytes[at..at + len].copy_from_slice(&raw[..len]);
            }
        }
    }
}

#[test]
fn no_change_of_a_file_breaks_a_law() {
    let seed = match std::env::var("TOOLRACK_SEED") {
        Ok(text) => text.parse().unwrap(),
        Err(_) => std::hash::RandomState::new().build_hasher().finish() | 1,
    };
    println!("TOOLRACK_SEED={seed} repeats this");
    let mut random = Random(seed);
    let targets = [
        linux(),
        Target::new("macos", "aarch64"),
        Target::new("windows", "x86_64"),
        Target::new("linux", "s390x"),
    ];
    let seeds = seeds::all();
    for (name, good) in &seeds {
        for round in 0..ROUNDS {
            let mut bytes = good.clone();
            if bytes.is_empty() {
                continue;
            }
            mutate(&mut bytes, &mut random);
            for target in &targets {
                let outcome = std::panic::catch_unwind(|| probed_for(&bytes, target));
                if let Err(cause) = outcome {
                    println!("seed {seed}, {name}, round {round}, for {target:?}");
                    std::panic::resume_unwind(cause);
                }
            }
        }
    }
    println!("{} changes of {} files", seeds.len() * ROUNDS as usize, seeds.len());
}
