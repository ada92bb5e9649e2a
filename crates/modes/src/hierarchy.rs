//! A preconditioner for (L + s M) x = b on a net: levels of ever fewer cells, each smoothed by a sweep down and a sweep back.
//!
//! Aggregates of four with one value each are coarser than interpolation, and cheaper; what they are too stiff by is made up for by
//! lengthening their answers, and by the gradients or the subspace around this.

use crate::coarsen::{Coarse, coarsen, restrict};
use crate::dense::Cholesky;
use crate::net::Net;
use crate::panel::{Eight, Panel, add};
use crate::partition::Partition;

/// Cells that are solved directly.
const TOP: usize = 300;
/// What cannot be made coarser is solved directly up to here, and only swept beyond: a dense factor would not fit.
const MOST_DIRECT: usize = 1500;
/// A level that keeps more than this part of the cells is the last: stars and lone cells do not pair.
const WORTH_IT: f64 = 0.9;
/// Between two aggregates only some of the faces give: answers of the coarser level are too small by about this.
const OVERCORRECTION: f64 = 1.6;

/// L + s M of one level.
#[derive(Clone, Debug)]
pub(crate) struct Matrix {
    diagonal: Vec<f64>,
    inverse: Vec<f64>,
    first: Vec<u32>,
    arcs: Vec<(u32, f64)>,
}

impl Matrix {
    pub fn new(net: &Net, shift: f64) -> Matrix {
        let (mut diagonal, mut first, mut arcs) = (Vec::new(), vec![0], Vec::new());
        for (cell, mass) in net.masses.iter().enumerate() {
            let row = net.arcs(cell).iter().map(|arc| (arc.to, net.stiffness[arc.edge as usize]));
            arcs.extend(row);
            let stiff: f64 = arcs[first[cell] as usize..].iter().map(|(_, stiffness)| stiffness).sum();
            diagonal.push(stiff + shift * mass);
            first.push(arcs.len() as u32);
        }
        let inverse = diagonal.iter().map(|entry| 1.0 / entry).collect();
        Matrix { diagonal, inverse, first, arcs }
    }

    fn row(&self, cell: usize) -> &[(u32, f64)] {
        &self.arcs[self.first[cell] as usize..self.first[cell + 1] as usize]
    }

    /// The product with eight vectors.
    pub fn times(&self, x: &[Eight]) -> Panel {
        (0..x.len())
            .map(|cell| {
                let mut sum = x[cell].map(|x| x * self.diagonal[cell]);
                self.row(cell).iter().for_each(|&(to, stiff)| add(&mut sum, -stiff, &x[to as usize]));
                sum
            })
            .collect()
    }

    /// Sets a cell to what balances its neighbours.
    #[inline]
    fn relax(&self, cell: usize, load: &Eight, x: &mut [Eight]) {
        let mut sum = *load;
        self.row(cell).iter().for_each(|&(to, stiff)| add(&mut sum, stiff, &x[to as usize]));
        x[cell] = sum.map(|sum| sum * self.inverse[cell]);
    }
}

/// A level, and how it becomes the next.
#[derive(Clone, Debug)]
pub(crate) struct Level {
    pub net: Net,
    pub matrix: Matrix,
    /// What hangs together.
    pub parts: Partition,
    /// Which cell of the next level each cell is in; none on the last.
    groups: Option<Partition>,
}

/// The levels, from fine to coarse, and a factor of the last.
#[derive(Clone, Debug)]
pub(crate) struct Hierarchy {
    pub levels: Vec<Level>,
    top: Option<Cholesky>,
}

impl Hierarchy {
    /// Levels for a shift above zero; `None` takes one that is small against the lowest eigenvalues.
    pub fn new(net: &Net, parts: &Partition, shift: Option<f64>) -> Hierarchy {
        let mut nets = vec![(net.clone(), parts.clone())];
        let mut groups = Vec::new();
        while let Some((net, parts)) = nets.last()
            && net.len() > TOP
        {
            let Coarse { net: next, groups: into } = coarsen(net, parts, net.len() / 3);
            if next.len() as f64 > WORTH_IT * net.len() as f64 {
                break;
            }
            let parts = restrict(parts, &into);
            groups.push(into);
            nets.push((next, parts));
        }
        let shift = shift.unwrap_or_else(|| nets.last().map_or(1.0, |(net, _)| small_shift(net)));
        let mut groups = groups.into_iter();
        let level =
            |(net, parts)| Level { matrix: Matrix::new(&net, shift), net, parts, groups: groups.next() };
        let levels: Vec<Level> = nets.into_iter().map(level).collect();
        let top =
            levels.last().filter(|level| level.net.len() <= MOST_DIRECT).map(|level| factor(&level.matrix));
        Hierarchy { levels, top }
    }

    /// About what solves the system of a level.
    pub fn apply(&self, level: usize, load: &[Eight]) -> Panel {
        let Some(Level { matrix, groups: Some(groups), .. }) = self.levels.get(level) else {
            return self.solve_top(level, load);
        };
        let mut x = vec![[0.0; 8]; load.len()];
        (0..x.len()).for_each(|cell| matrix.relax(cell, &load[cell], &mut x));
        let mut coarse_load = vec![[0.0; 8]; groups.count()];
        for (cell, value) in x.iter().enumerate() {
            let mut rest = load[cell];
            add(&mut rest, -matrix.diagonal[cell], value);
            matrix.row(cell).iter().for_each(|&(to, stiff)| add(&mut rest, stiff, &x[to as usize]));
            add(&mut coarse_load[groups.of(cell)], 1.0, &rest);
        }
        let coarse = self.apply(level + 1, &coarse_load);
        for (cell, x) in x.iter_mut().enumerate() {
            add(x, OVERCORRECTION, &coarse[groups.of(cell)]);
        }
        (0..x.len()).rev().for_each(|cell| matrix.relax(cell, &load[cell], &mut x));
        x
    }

    /// Vectors of the next level as vectors of this one.
    pub fn prolong(&self, level: usize, coarse: &[Eight]) -> Panel {
        let groups = self.levels[level].groups.as_ref();
        groups.map_or_else(Vec::new, |groups| {
            groups.of_cells().iter().map(|&group| coarse[group as usize]).collect()
        })
    }

    fn solve_top(&self, level: usize, load: &[Eight]) -> Panel {
        let Some(top) = &self.top else {
            let (matrix, mut x) = (&self.levels[level].matrix, vec![[0.0; 8]; load.len()]);
            (0..x.len()).for_each(|cell| matrix.relax(cell, &load[cell], &mut x));
            (0..x.len()).rev().for_each(|cell| matrix.relax(cell, &load[cell], &mut x));
            return x;
        };
        let mut x = load.to_vec();
        let mut column = vec![0.0; load.len()];
        for lane in 0..8 {
            column.iter_mut().zip(load).for_each(|(to, load)| *to = load[lane]);
            top.solve(&mut column);
            x.iter_mut().zip(&column).for_each(|(x, value)| x[lane] = *value);
        }
        x
    }
}

/// Small against what a cell of the coarsest level bears, so that it only keeps constants from being free.
fn small_shift(net: &Net) -> f64 {
    let (stiff, mass): (f64, f64) = (net.stiffness.iter().sum(), net.masses.iter().sum());
    if stiff > 0.0 { 1e-4 * stiff / mass } else { 1.0 }
}

fn factor(matrix: &Matrix) -> Cholesky {
    let n = matrix.diagonal.len();
    let mut rows = vec![0.0; n * n];
    for (cell, diagonal) in matrix.diagonal.iter().enumerate() {
        rows[cell * n + cell] = *diagonal;
        matrix.row(cell).iter().for_each(|&(to, stiff)| rows[cell * n + to as usize] -= stiff);
    }
    Cholesky::factor(rows, n, 1e-14)
}
