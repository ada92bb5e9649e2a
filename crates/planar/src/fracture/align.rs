//! Steps 1 and 2: the pattern where the impact is, over all that is near.

use std::borrow::Cow;

use glam::{DAffine2, DVec2};

use super::{Cover, moved};
use crate::pattern::Pattern;
use crate::{Aabb, Convex, Cut, Halfplane, Impact, LineId, Side, Tolerance, voronoi::WALLS};

/// A cell in the compound's frame.
pub(super) struct AlignedCell {
    pub convex: Convex,
    pub bounds: Aabb,
    /// What bounds it.
    pub halfplanes: Vec<Halfplane>,
    pub area: f64,
    /// None for what lies around the pattern's box.
    pub colour: Option<u32>,
}

/// A pattern in the compound's frame.
pub(super) struct Aligned {
    pub cells: Vec<AlignedCell>,
    pub grid: Grid,
    /// Identities from here on are unused.
    pub next_line: u64,
}

/// Moves a pattern to an impact. None if the map is singular.
pub(super) fn align(
    pattern: &Pattern,
    impact: &Impact,
    reach: &Aabb,
    cover: Cover,
    first_line: u64,
) -> Option<Aligned> {
    let mut body_from_pattern = impact.body_from_pattern();
    let pattern_from_body = inverse(&body_from_pattern)?;
    let mut pattern = Cow::Borrowed(pattern);
    let wanted = moved(reach, &pattern_from_body);
    if !reach.is_empty() && !pattern.bounds().holds(&wanted) {
        let wanted = wanted.grown(wanted.extent() * MARGIN);
        match cover {
            Cover::Extend => pattern = pattern.extended(&wanted).map_or(pattern, Cow::Owned),
            Cover::Scale => {
                body_from_pattern *= DAffine2::from_scale(scale(pattern.bounds(), &wanted));
            }
            Cover::Leave => {}
        }
    }
    let name = |id: LineId| LineId::new(first_line + id.number());
    let mut cells = Vec::with_capacity(pattern.cells().len() + 4);
    // Rounding of the box, which is moved here and by its cells there, is far below this.
    let near = reach.grown(reach.extent() * MARGIN);
    for cell in pattern.cells() {
        if !moved(&cell.convex.bounds(), &body_from_pattern).meets(&near) {
            continue;
        }
        let mut convex = cell.convex.transformed(&body_from_pattern)?;
        for edge in convex.edges_mut() {
            edge.cut = edge.cut.map(|cut| Cut::new(name(cut.id()), cut.side()));
        }
        cells.push(AlignedCell::new(convex, Some(cell.colour)));
    }
    if !pattern.bounds().holds(&wanted) {
        let whole = Pattern::whole_box(pattern.bounds()).transformed(&body_from_pattern)?;
        cells.extend(around(&whole, reach, name));
    }
    let grid = Grid::new(&cells);
    Some(Aligned { cells, grid, next_line: first_line + pattern.lines() })
}

/// Room beyond what is to be covered, as a part of it: walls should not graze pieces.
const MARGIN: f64 = 1e-3;

fn inverse(map: &DAffine2) -> Option<DAffine2> {
    let inverse = map.inverse();
    let is_sound = map.matrix2.determinant() != 0.0 && inverse.is_finite();
    is_sound.then_some(inverse)
}

/// How much larger a box about the origin must be to hold another; as it is if the origin is not inside.
fn scale(bounds: &Aabb, wanted: &Aabb) -> DVec2 {
    let factors = [wanted.max / bounds.max, wanted.min / bounds.min];
    let is_around = bounds.min.max_element() < 0.0 && bounds.max.min_element() > 0.0;
    DVec2::splat(if is_around { factors[0].max(factors[1]).max_element().max(1.0) } else { 1.0 })
}

/// What lies around the pattern's box, as far as it is near: on the outer side of each wall and the inner side of those before.
fn around(whole: &Convex, reach: &Aabb, name: impl Fn(LineId) -> LineId) -> Vec<AlignedCell> {
    let walls = (0..WALLS).map(LineId::new).filter_map(|wall| {
        let edge = whole.edges().iter().find(|edge| edge.cut.is_some_and(|cut| cut.id() == wall))?;
        Some(Halfplane { line: edge.line, side: Side::Behind, id: Some(name(wall)) })
    });
    let walls: Vec<Halfplane> = walls.collect();
    let room = reach.grown(reach.extent() * MARGIN + Tolerance::for_box(reach).length());
    let beyond = |wall: usize| {
        let mut convex = Convex::from_box(&room).clip(&walls[wall].opposite())?;
        for before in &walls[..wall] {
            convex = convex.clip(before)?;
        }
        Some(AlignedCell::new(convex, None))
    };
    (0..walls.len()).filter_map(beyond).collect()
}

impl AlignedCell {
    fn new(convex: Convex, colour: Option<u32>) -> AlignedCell {
        let halfplanes = convex.edges().iter().filter_map(|edge| edge.halfplane()).collect();
        AlignedCell { bounds: convex.bounds(), area: convex.area(), halfplanes, convex, colour }
    }
}

/// The broad phase: squares of about a cell's size, each with the cells whose boxes meet it.
pub(super) struct Grid {
    origin: DVec2,
    per_length: f64,
    counts: [usize; 2],
    starts: Vec<u32>,
    cells: Vec<u32>,
}

/// Squares along an axis at most.
const MOST_SQUARES: f64 = 256.0;

impl Grid {
    fn new(cells: &[AlignedCell]) -> Grid {
        let bounds = cells.iter().fold(Aabb::EMPTY, |bounds, cell| bounds.union(cell.bounds));
        let size = bounds.size().max(DVec2::splat(f64::MIN_POSITIVE));
        let side = libm::sqrt(size.element_product() / cells.len().max(1) as f64);
        let side = side.max(size.max_element() / MOST_SQUARES);
        let counts =
            (size / side).to_array().map(|along| (along as usize + 1).min(MOST_SQUARES as usize + 1));
        let mut grid = Grid {
            origin: bounds.min,
            per_length: 1.0 / side,
            counts,
            starts: Vec::new(),
            cells: Vec::new(),
        };
        let mut sizes = vec![0; counts[0] * counts[1] + 1];
        for cell in cells {
            grid.squares(&cell.bounds).for_each(|square| sizes[square + 1] += 1);
        }
        for square in 0..sizes.len() - 1 {
            sizes[square + 1] += sizes[square];
        }
        let mut next = sizes.clone();
        grid.cells = vec![0; sizes[sizes.len() - 1] as usize];
        for (index, cell) in (0..).zip(cells) {
            for square in grid.squares(&cell.bounds) {
                grid.cells[next[square] as usize] = index;
                next[square] += 1;
            }
        }
        grid.starts = sizes;
        grid
    }

    fn square_at(&self, point: DVec2) -> [usize; 2] {
        let [x, y] = ((point - self.origin) * self.per_length).to_array();
        [(x as usize).min(self.counts[0] - 1), (y as usize).min(self.counts[1] - 1)]
    }

    fn squares(&self, bounds: &Aabb) -> impl Iterator<Item = usize> + use<> {
        let ([left, low], [right, high]) = (self.square_at(bounds.min), self.square_at(bounds.max));
        let width = self.counts[0];
        (low..=high).flat_map(move |y| (left..=right).map(move |x| y * width + x))
    }

    /// The cells whose boxes meet a box, each once, in the order of squares.
    pub fn near<'a>(&'a self, bounds: &'a Aabb, cells: &'a [AlignedCell]) -> impl Iterator<Item = u32> + 'a {
        self.squares(bounds).flat_map(move |square| {
            let list = self.starts[square] as usize..self.starts[square + 1] as usize;
            let is_first = move |&&cell: &&u32| {
                let own = &cells[cell as usize].bounds;
                // Of all squares that both boxes meet, the lowest tells of it.
                let [x, y] = self.square_at(own.min.max(bounds.min));
                own.meets(bounds) && y * self.counts[0] + x == square
            };
            self.cells[list].iter().filter(is_first).copied()
        })
    }
}
