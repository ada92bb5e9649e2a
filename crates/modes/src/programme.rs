//! A small dense linear programme: min Σ w |x_a − x_b| with A x = b.
//!
//! Mehrotra's predictor-corrector method. Each edge has two slacks, up and down, with x_a − x_b = up − down, and a force y between −w and w;
//! what is left to solve is a weighed graph Laplacian on the unknowns, bordered by the rows of A through their Schur complement.
//! Rows may depend on each other: their pivots are dropped.

use crate::dense::{Cholesky, dot};

/// What is to be solved.
#[derive(Clone, Debug)]
pub(crate) struct Programme<'a> {
    pub unknowns: usize,
    pub edges: &'a [[u32; 2]],
    pub weights: &'a [f64],
    /// The rows of A. The first sees a constant: without it the Laplacian could not be factored.
    pub rows: Vec<Vec<f64>>,
    pub targets: Vec<f64>,
}

/// What came of it.
#[derive(Clone, Debug)]
pub(crate) struct Solution {
    pub x: Vec<f64>,
    /// What each row would gain.
    pub prices: Vec<f64>,
    pub iterations: usize,
    /// The largest of all relative residuals and the gap.
    pub error: f64,
}

/// When to stop.
const ACCURACY: f64 = 1e-10;
const MOST_ITERATIONS: usize = 80;
/// Errors may grow for a while; after so many times the least, digits are used up.
const LOST: f64 = 1e3;
/// Of the way to the wall that a step goes.
const NEARLY: f64 = 0.995;
/// Rows of which less is left than this depend on others.
const DEPENDENT: f64 = 1e-11;

impl Programme<'_> {
    /// Solves it as far as digits go.
    pub fn solve(&self) -> Solution {
        let (scaled, scales) = self.scaled();
        let mut point = Point::start(&scaled);
        let mut best = Solution {
            x: point.x.clone(),
            prices: point.prices.clone(),
            iterations: 0,
            error: f64::INFINITY,
        };
        let mut workspace = Vec::new();
        for iteration in 0..MOST_ITERATIONS {
            let rest = Rest::of(&scaled, &point);
            if rest.error < best.error {
                let Point { x, prices, .. } = &point;
                best = Solution {
                    x: x.clone(),
                    prices: prices.clone(),
                    iterations: iteration,
                    error: rest.error,
                };
            }
            let is_lost = rest.error > LOST * best.error && best.error < 1e-6;
            if best.error < ACCURACY || is_lost || !rest.error.is_finite() {
                break;
            }
            let system = System::new(&scaled, &point, workspace);
            point.step(&scaled, &rest, &system);
            workspace = system.laplacian.into_rows();
        }
        best.x.iter_mut().for_each(|x| *x *= scales.x);
        best.prices.iter_mut().zip(&scales.rows).for_each(|(price, row)| *price *= scales.weight / row);
        best
    }

    /// The same with weights about one, rows of length one and a largest target of one.
    fn scaled(&self) -> (Scaled, Scales) {
        let weight =
            (self.weights.iter().sum::<f64>() / self.weights.len().max(1) as f64).max(f64::MIN_POSITIVE);
        let length = |row: &Vec<f64>| dot(row, row).sqrt().max(f64::MIN_POSITIVE);
        let rows: Vec<f64> = self.rows.iter().map(length).collect();
        let by = |values: &[f64], scale: f64| values.iter().map(|value| value / scale).collect::<Vec<f64>>();
        let targets: Vec<f64> = self.targets.iter().zip(&rows).map(|(target, row)| target / row).collect();
        let x = targets.iter().fold(0.0, |most: f64, t| most.max(t.abs())).max(f64::MIN_POSITIVE);
        let scaled = Scaled {
            unknowns: self.unknowns,
            edges: self.edges.iter().map(|edge| edge.map(|end| end as usize)).collect(),
            weights: by(self.weights, weight),
            rows: self.rows.iter().zip(&rows).map(|(row, &scale)| by(row, scale)).collect(),
            targets: by(&targets, x),
        };
        (scaled, Scales { weight, rows, x })
    }
}

struct Scaled {
    unknowns: usize,
    edges: Vec<[usize; 2]>,
    weights: Vec<f64>,
    rows: Vec<Vec<f64>>,
    targets: Vec<f64>,
}

struct Scales {
    weight: f64,
    rows: Vec<f64>,
    x: f64,
}

/// Slacks of an edge, and the prices of both: w − y and w + y. The prices are updated on their own: a difference would lose digits.
#[derive(Clone, Copy, Debug)]
struct Slack {
    up: f64,
    down: f64,
    up_price: f64,
    down_price: f64,
    force: f64,
}

struct Point {
    x: Vec<f64>,
    prices: Vec<f64>,
    slacks: Vec<Slack>,
}

/// How a slack changes.
#[derive(Clone, Copy, Debug, Default)]
struct Change {
    up: f64,
    down: f64,
    force: f64,
}

/// Where the products of slacks and prices are to go.
#[derive(Clone, Copy, Debug, Default)]
struct Aim {
    up: f64,
    down: f64,
}

/// What is missing.
struct Rest {
    edges: Vec<f64>,
    balance: Vec<f64>,
    rows: Vec<f64>,
    gap: f64,
    error: f64,
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |most, value| if value.abs() <= most { most } else { value.abs() })
}

impl Rest {
    fn of(programme: &Scaled, point: &Point) -> Rest {
        let (mut balance, mut gap, mut energy) = (vec![0.0; programme.unknowns], 0.0, 0.0);
        let mut edges = Vec::with_capacity(programme.edges.len());
        for ((&[a, b], slack), weight) in programme.edges.iter().zip(&point.slacks).zip(&programme.weights) {
            edges.push(slack.up - slack.down - point.x[a] + point.x[b]);
            balance[a] -= slack.force;
            balance[b] += slack.force;
            gap += slack.up * slack.up_price + slack.down * slack.down_price;
            energy += weight * (slack.up + slack.down);
        }
        for (row, price) in programme.rows.iter().zip(&point.prices) {
            balance.iter_mut().zip(row).for_each(|(balance, entry)| *balance += entry * price);
        }
        let rows: Vec<f64> = programme
            .rows
            .iter()
            .zip(&programme.targets)
            .map(|(row, target)| target - dot(row, &point.x))
            .collect();
        let error = (gap / energy.max(1e-30))
            .max(largest(&edges) / largest(&point.x).max(1e-12))
            .max(largest(&balance))
            .max(largest(&rows));
        Rest { edges, balance, rows, gap: gap / (2 * programme.edges.len().max(1)) as f64, error }
    }
}

/// What one iteration factors.
struct System {
    yields: Vec<f64>,
    /// What a constant is held by, so that the Laplacian can be factored.
    hold: f64,
    laplacian: Cholesky,
    answers: Vec<Vec<f64>>,
    schur: Cholesky,
}

impl System {
    fn new(programme: &Scaled, point: &Point, mut matrix: Vec<f64>) -> System {
        let n = programme.unknowns;
        let yields: Vec<f64> =
            point.slacks.iter().map(|s| 1.0 / (s.up / s.up_price + s.down / s.down_price)).collect();
        matrix.clear();
        matrix.resize(n * n, 0.0);
        for (&[a, b], give) in programme.edges.iter().zip(&yields) {
            matrix[a * n + a] += give;
            matrix[b * n + b] += give;
            matrix[a.max(b) * n + a.min(b)] -= give;
        }
        let hold = (0..n).map(|i| matrix[i * n + i]).sum::<f64>() / n.max(1) as f64;
        if let Some(row) = programme.rows.first() {
            for (i, &entry) in row.iter().enumerate().filter(|(_, entry)| **entry != 0.0) {
                let factor = hold * entry;
                matrix[i * n..=i * n + i].iter_mut().zip(row).for_each(|(to, other)| *to += factor * other);
            }
        }
        for i in 0..n {
            matrix[i * n + i] += 1e-13 * matrix[i * n + i] + 1e-14 * hold;
        }
        let laplacian = Cholesky::factor(matrix, n, 0.0);
        let answers: Vec<Vec<f64>> = programme
            .rows
            .iter()
            .map(|row| {
                let mut answer = row.clone();
                laplacian.solve(&mut answer);
                answer
            })
            .collect();
        let schur = schur(&programme.rows, &answers);
        System { yields, hold, laplacian, answers, schur }
    }

    /// Where to go, so that rests vanish and products come to the aims.
    fn direction(
        &self,
        programme: &Scaled,
        point: &Point,
        rest: &Rest,
        aims: &[Aim],
    ) -> (Vec<f64>, Vec<f64>, Vec<Change>) {
        let mut dx = rest.balance.clone();
        let mut pulls = Vec::with_capacity(aims.len());
        for (k, (&[a, b], (slack, aim))) in
            programme.edges.iter().zip(point.slacks.iter().zip(aims)).enumerate()
        {
            let pull = rest.edges[k] + (aim.up / slack.up_price - slack.up)
                - (aim.down / slack.down_price - slack.down);
            dx[a] += self.yields[k] * pull;
            dx[b] -= self.yields[k] * pull;
            pulls.push(pull);
        }
        for (row, missing) in programme.rows.iter().zip(&rest.rows).take(1) {
            dx.iter_mut().zip(row).for_each(|(dx, entry)| *dx += self.hold * entry * missing);
        }
        self.laplacian.solve(&mut dx);
        let mut prices: Vec<f64> =
            programme.rows.iter().zip(&rest.rows).map(|(row, missing)| missing - dot(row, &dx)).collect();
        self.schur.solve(&mut prices);
        for (answer, price) in self.answers.iter().zip(&prices) {
            dx.iter_mut().zip(answer).for_each(|(dx, entry)| *dx += entry * price);
        }
        let edges = programme.edges.iter().zip(&point.slacks).zip(aims).enumerate();
        let changes = edges
            .map(|(k, ((&[a, b], slack), aim))| {
                slack.change(aim, self.yields[k] * (dx[a] - dx[b] - pulls[k]))
            })
            .collect();
        (dx, prices, changes)
    }
}

fn schur(rows: &[Vec<f64>], answers: &[Vec<f64>]) -> Cholesky {
    let k = rows.len();
    let mut matrix = vec![0.0; k * k];
    for (i, row) in rows.iter().enumerate() {
        for (j, answer) in answers.iter().take(i + 1).enumerate() {
            matrix[i * k + j] = dot(row, answer);
        }
        matrix[i * k + i] *= 1.0 + 1e-13;
    }
    Cholesky::factor(matrix, k, DEPENDENT)
}

impl Slack {
    fn change(&self, aim: &Aim, force: f64) -> Change {
        Change {
            up: (aim.up - self.up * self.up_price + self.up * force) / self.up_price,
            down: (aim.down - self.down * self.down_price - self.down * force) / self.down_price,
            force,
        }
    }

    /// How far slacks, and how far prices, can go before one is zero.
    fn room(&self, change: &Change) -> (f64, f64) {
        let until = |value: f64, change: f64| if change < 0.0 { -value / change } else { f64::INFINITY };
        let slacks = until(self.up, change.up).min(until(self.down, change.down));
        (slacks, until(self.up_price, -change.force).min(until(self.down_price, change.force)))
    }

    fn gap_after(&self, change: &Change, (slacks, prices): (f64, f64)) -> f64 {
        (self.up + slacks * change.up) * (self.up_price - prices * change.force)
            + (self.down + slacks * change.down) * (self.down_price + prices * change.force)
    }

    fn go(&mut self, change: &Change, (slacks, prices): (f64, f64)) {
        self.up += slacks * change.up;
        self.down += slacks * change.down;
        self.force += prices * change.force;
        self.up_price -= prices * change.force;
        self.down_price += prices * change.force;
    }
}

impl Point {
    fn start(programme: &Scaled) -> Point {
        let slack =
            |&weight: &f64| Slack { up: 1.0, down: 1.0, up_price: weight, down_price: weight, force: 0.0 };
        Point {
            x: vec![0.0; programme.unknowns],
            prices: vec![0.0; programme.rows.len()],
            slacks: programme.weights.iter().map(slack).collect(),
        }
    }

    /// One step: the predictor says how far the gap can fall, the corrector goes there and makes up for its curvature.
    fn step(&mut self, programme: &Scaled, rest: &Rest, system: &System) {
        let (_, _, changes) =
            system.direction(programme, self, rest, &vec![Aim::default(); self.slacks.len()]);
        let room = self.room(&changes);
        let after: f64 =
            self.slacks.iter().zip(&changes).map(|(slack, change)| slack.gap_after(change, room)).sum();
        let fall = after / (2 * self.slacks.len().max(1)) as f64 / rest.gap;
        let centre = (fall * fall * fall).min(1.0) * rest.gap;
        let aim = |c: &Change| Aim { up: centre + c.up * c.force, down: centre - c.down * c.force };
        let aims: Vec<Aim> = changes.iter().map(aim).collect();
        let (dx, prices, changes) = system.direction(programme, self, rest, &aims);
        let (slacks_room, prices_room) = self.room(&changes);
        let go = ((NEARLY * slacks_room).min(1.0), (NEARLY * prices_room).min(1.0));
        self.x.iter_mut().zip(&dx).for_each(|(x, dx)| *x += go.0 * dx);
        self.prices.iter_mut().zip(&prices).for_each(|(price, change)| *price += go.1 * change);
        self.slacks.iter_mut().zip(&changes).for_each(|(slack, change)| slack.go(change, go));
    }

    fn room(&self, changes: &[Change]) -> (f64, f64) {
        let rooms = self.slacks.iter().zip(changes).map(|(slack, change)| slack.room(change));
        rooms.fold((1.0, 1.0), |least, room| (f64::min(least.0, room.0), f64::min(least.1, room.1)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::least_energy;
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64;

    #[test]
    fn two_hundred_programmes_agree_with_clarabel() {
        let mut random = Pcg64::seed_from_u64(2);
        for round in 0..200 {
            let n = random.random_range(3..=24_usize);
            let mut edges: Vec<[u32; 2]> = (1..n as u32).map(|b| [random.random_range(0..b), b]).collect();
            let more =
                (0..2 * n).map(|_| [random.random_range(0..n as u32), random.random_range(0..n as u32)]);
            edges.extend(more.filter(|edge| edge[0] != edge[1]).collect::<Vec<_>>());
            let weights: Vec<f64> = edges.iter().map(|_| random.random_range(0.1..3.0)).collect();
            let count = random.random_range(2..=n.min(8));
            let mut rows: Vec<Vec<f64>> =
                (0..count).map(|_| (0..n).map(|_| random.random_range(-1.0..1.0)).collect()).collect();
            rows[0] = (0..n).map(|_| random.random_range(0.1..1.0)).collect();
            if count > 3 && round % 3 == 0 {
                // A row that says what two others say.
                rows[2] = rows[0].iter().zip(&rows[1]).map(|(a, b)| 2.0 * a - b).collect();
            }
            let mut targets = vec![0.0; count];
            targets[count - 1] = 1.0;
            let truth = least_energy(n, &edges, &weights, &rows, &targets);
            let programme = Programme { unknowns: n, edges: &edges, weights: &weights, rows, targets };
            let solution = programme.solve();
            let jump = |edge: &[u32; 2]| (solution.x[edge[0] as usize] - solution.x[edge[1] as usize]).abs();
            let energy: f64 = edges.iter().zip(&weights).map(|(edge, weight)| weight * jump(edge)).sum();
            assert!((energy - truth).abs() <= 1e-6 * truth, "round {round}: {energy} instead of {truth}");
            // The price of the last row is the energy: that is duality.
            assert!((solution.prices[count - 1] - truth).abs() <= 1e-6 * truth, "round {round}");
            for (row, target) in programme.rows.iter().zip(&programme.targets) {
                assert!((dot(row, &solution.x) - target).abs() < 1e-8, "round {round}");
            }
        }
    }
}
