//! The colours of a GIF: at most 255, chosen by median cut (Heckbert 1982) from those of all frames.

use std::collections::BTreeMap;

/// Colours, and the nearest of them for any.
pub(super) struct Palette {
    pub colours: Vec<[u8; 3]>,
    /// For each colour of six bits a channel that was counted.
    nearest: Vec<u8>,
}

/// Bits of a channel that count.
const BITS: u32 = 6;
/// One index is left for what did not change.
const MOST: usize = 255;

/// Counts how often colours are there.
#[derive(Default)]
pub(super) struct Census(BTreeMap<u32, u64>);

impl Census {
    pub fn count(&mut self, pixels: &[[u8; 3]]) {
        let mut counts = vec![0u64; 1 << (3 * BITS)];
        pixels.iter().for_each(|&pixel| counts[name(pixel) as usize] += 1);
        for (name, count) in (0..).zip(counts).filter(|(_, count)| *count > 0) {
            *self.0.entry(name).or_default() += count;
        }
    }

    pub fn palette(&self) -> Palette {
        let all: Vec<([u8; 3], u64)> = self.0.iter().map(|(&name, &count)| (colour(name), count)).collect();
        let mut boxes = vec![all];
        while boxes.len() < MOST {
            // The box with most to gain: how much is in it, times how wide it is.
            let gain = |list: &Vec<([u8; 3], u64)>| {
                let (_, width) = widest(list);
                libm::sqrt(list.iter().map(|own| own.1).sum::<u64>() as f64) * f64::from(width)
            };
            let gains: Vec<f64> = boxes.iter().map(gain).collect();
            let Some(most) = (0..boxes.len()).max_by(|&a, &b| gains[a].total_cmp(&gains[b]).then(b.cmp(&a)))
            else {
                break;
            };
            if gains[most] <= 0.0 {
                break;
            }
            let mut list = boxes.swap_remove(most);
            let (axis, _) = widest(&list);
            list.sort_by_key(|own| (own.0[axis], own.0));
            let half = list.iter().map(|own| own.1).sum::<u64>() / 2;
            let mut sum = 0;
            let before = list.iter().take_while(|own| {
                sum += own.1;
                sum <= half
            });
            let cut = before.count().clamp(1, list.len() - 1);
            boxes.push(list.split_off(cut));
            boxes.push(list);
        }
        let mut colours: Vec<[u8; 3]> = boxes.iter().map(|list| mean(list)).collect();
        colours.sort_unstable();
        colours.dedup();
        let mut all = vec![0; 1 << (3 * BITS)];
        for &name in self.0.keys() {
            all[name as usize] = nearest(&colours, colour(name));
        }
        Palette { colours, nearest: all }
    }
}

impl Palette {
    pub fn index(&self, pixel: [u8; 3]) -> u8 {
        self.nearest[name(pixel) as usize]
    }
}

fn name([red, green, blue]: [u8; 3]) -> u32 {
    let part = |x: u8| u32::from(x >> (8 - BITS));
    (part(red) << (2 * BITS)) | (part(green) << BITS) | part(blue)
}

/// The middle of a colour's box.
fn colour(name: u32) -> [u8; 3] {
    let part = |shift: u32| {
        let bits = (name >> shift) & ((1 << BITS) - 1);
        ((bits << (8 - BITS)) + (1 << (7 - BITS))) as u8
    };
    [part(2 * BITS), part(BITS), part(0)]
}

fn widest(list: &[([u8; 3], u64)]) -> (usize, u8) {
    let width = |axis: usize| {
        let all = list.iter().map(|own| own.0[axis]);
        all.clone().max().unwrap_or(0) - all.min().unwrap_or(0)
    };
    (0..3).map(|axis| (axis, width(axis))).max_by_key(|&(axis, width)| (width, 3 - axis)).unwrap_or((0, 0))
}

fn mean(list: &[([u8; 3], u64)]) -> [u8; 3] {
    let all: u64 = list.iter().map(|own| own.1).sum::<u64>().max(1);
    [0, 1, 2].map(|axis| {
        let sum: u64 = list.iter().map(|own| u64::from(own.0[axis]) * own.1).sum();
        ((sum + all / 2) / all) as u8
    })
}

fn nearest(colours: &[[u8; 3]], wanted: [u8; 3]) -> u8 {
    let far = |colour: &[u8; 3]| -> i32 {
        let apart = |i: usize| i32::from(colour[i]) - i32::from(wanted[i]);
        // Green counts most to the eye, blue least.
        2 * apart(0) * apart(0) + 4 * apart(1) * apart(1) + apart(2) * apart(2)
    };
    let found = colours.iter().enumerate().min_by_key(|(index, colour)| (far(colour), *index));
    found.map_or(0, |(index, _)| index as u8)
}
