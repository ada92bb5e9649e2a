//! What a motion of the exploded mesh costs: strain within triangles, discontinuity between them.

use glam::DVec2;

use super::mesh::{Edge, Mesh};

/// What it costs to deform a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Strain {
    /// Linear elasticity of a thin plate, of Young's modulus one: free are translations and linearised rotations.
    Elastic { poisson: f64 },
    /// ½ |∇u|² (Equation 25): free are translations only.
    Gradient,
}

impl Strain {
    /// An entry of Q for a unit of area: of a motion along axis i that grows by `a`, and one along axis j that grows by `b`.
    fn product(self, a: DVec2, i: usize, b: DVec2, j: usize) -> f64 {
        let along = if i == j { a.dot(b) } else { 0.0 };
        match self {
            Strain::Gradient => along,
            Strain::Elastic { poisson } => {
                let shear = 0.5 / (1.0 + poisson);
                let lame = poisson / (1.0 - poisson * poisson);
                lame * a[i] * b[j] + shear * (a[j] * b[i] + along)
            }
        }
    }
}

/// One matrix a triangle, of its three corners with two axes each.
pub type Blocks = Vec<[[f64; 6]; 6]>;

/// A mesh whose triangles share no corner. Motions are vectors of six numbers a triangle: x and y of its three corners.
pub struct Exploded {
    pub mesh: Mesh,
    pub strain: Strain,
    /// Q.
    pub stiffness: Blocks,
    /// M, of density one, not lumped.
    pub mass: Blocks,
}

impl Exploded {
    pub fn new(mesh: Mesh, strain: Strain) -> Exploded {
        let blocks = |entry: &dyn Fn(usize, usize, usize) -> f64| -> Blocks {
            let block = |f| std::array::from_fn(|a| std::array::from_fn(|b| entry(f, a, b)));
            (0..mesh.triangles.len()).map(block).collect()
        };
        let slopes: Vec<[DVec2; 3]> = (0..mesh.triangles.len()).map(|f| slopes(&mesh, f)).collect();
        let stiffness = blocks(&|f, a, b| {
            mesh.area(f) * strain.product(slopes[f][a / 2], a % 2, slopes[f][b / 2], b % 2)
        });
        let mass = blocks(&|f, a, b| match (a % 2 == b % 2, a / 2 == b / 2) {
            (true, true) => mesh.area(f) / 6.0,
            (true, false) => mesh.area(f) / 12.0,
            _ => 0.0,
        });
        Exploded { mesh, strain, stiffness, mass }
    }

    /// How many numbers a motion has.
    pub fn width(&self) -> usize {
        6 * self.mesh.triangles.len()
    }

    /// ½ uᵀQu (Equation 11).
    pub fn strain_energy(&self, motion: &[f64]) -> f64 {
        0.5 * dot(motion, &times(&self.stiffness, motion))
    }

    /// E_D (Equation 14), without ω.
    pub fn discontinuity(&self, motion: &[f64]) -> f64 {
        self.mesh.edges.iter().map(|edge| opening(edge, motion)).sum()
    }

    pub fn norm(&self, motion: &[f64]) -> f64 {
        dot(motion, &times(&self.mass, motion)).sqrt()
    }

    /// The motion that a field is, at the corners.
    pub fn motion(&self, field: impl Fn(DVec2) -> DVec2) -> Vec<f64> {
        let corners = (0..self.mesh.triangles.len()).flat_map(|f| self.mesh.corners(f));
        corners.flat_map(|point| field(point).to_array()).collect()
    }

    /// What costs nothing for the shape as a whole, orthonormal.
    pub fn free_motions(&self) -> Vec<Vec<f64>> {
        let mut all = vec![self.motion(|_| DVec2::X), self.motion(|_| DVec2::Y)];
        if let Strain::Elastic { .. } = self.strain {
            all.push(self.motion(|point| point.perp()));
        }
        for i in 0..all.len() {
            let (before, rest) = all.split_at_mut(i);
            self.part_from(before, &mut rest[0]);
            let norm = self.norm(&rest[0]);
            rest[0].iter_mut().for_each(|x| *x /= norm);
        }
        all
    }

    /// Takes out of a motion what it has of others, which are orthonormal.
    pub fn part_from(&self, others: &[Vec<f64>], motion: &mut [f64]) {
        for other in others {
            let share = dot(other, &times(&self.mass, motion));
            motion.iter_mut().zip(other).for_each(|(x, o)| *x -= share * o);
        }
    }
}

/// How the weight of each corner grows: the gradients of barycentric coordinates.
fn slopes(mesh: &Mesh, triangle: usize) -> [DVec2; 3] {
    let corners = mesh.corners(triangle);
    let opposite = |c: usize| corners[(c + 2) % 3] - corners[(c + 1) % 3];
    std::array::from_fn(|c| opposite(c).perp() / (2.0 * mesh.area(triangle)))
}

/// The two quadrature points of an edge: how much of the jump at its first and at its second end each has (Equation 13).
pub fn quadrature(edge: &Edge) -> [[f64; 2]; 2] {
    let scale = (edge.length / 2.0).sqrt();
    let t = 1.0 / 3.0_f64.sqrt();
    [t, -t].map(|t| [scale * (1.0 + t) / 2.0, scale * (1.0 - t) / 2.0])
}

/// E_e (Equation 12).
pub fn opening(edge: &Edge, motion: &[f64]) -> f64 {
    let at = |corner: usize| DVec2::new(motion[2 * corner], motion[2 * corner + 1]);
    let jumps = edge.ends.map(|[a, b]| at(a) - at(b));
    let squares = quadrature(edge).map(|[p, q]| (p * jumps[0] + q * jumps[1]).length_squared());
    (squares[0] + squares[1]).sqrt()
}

pub fn times(blocks: &Blocks, motion: &[f64]) -> Vec<f64> {
    let parts = blocks.iter().zip(motion.chunks_exact(6));
    parts.flat_map(|(block, part)| block.iter().map(move |row| dot(row, part))).collect()
}

pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
