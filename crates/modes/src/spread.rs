//! What spreads from pieces within the shape: one implicit step of diffusion, (M + τ L)⁻¹ M.
//!
//! Blows spread so (Eq. 21 of the paper), and so do memberships, before faults are smoothed (Eq. 24). Nothing crosses a gap, however narrow it is. L is
//! positive here: the paper's Eq. 21 and 24 disagree about its sign.

use rayon::prelude::*;

use crate::gradient::solve;
use crate::hierarchy::Hierarchy;
use crate::net::Net;
use crate::panel::Panel;
use crate::{CellGraph, Partition};

/// One over a divisor on each piece, zero elsewhere, spread over a length; eight pieces a panel, over all cells.
pub(crate) fn spread(graph: &CellGraph, pieces: &Partition, divisors: &[f64], length: f64) -> Vec<Panel> {
    let (net, parts) = plain_net(graph);
    let tau = length * length;
    // M + τ L is τ times L + M / τ.
    let hierarchy = Hierarchy::new(&net, &parts, Some(1.0 / tau));
    let panel = |panel: usize| {
        let load = |(cell, &mass): (usize, &f64)| {
            let piece = pieces.of(cell);
            let mut row = [0.0; 8];
            if piece / 8 == panel {
                row[piece % 8] = mass / (divisors[piece] * tau);
            }
            row
        };
        solve(&hierarchy, net.masses.iter().enumerate().map(load).collect())
    };
    (0..pieces.count().div_ceil(8)).into_par_iter().map(panel).collect()
}

/// The graph as it is, without any factor: what spreads passes where nothing breaks.
fn plain_net(graph: &CellGraph) -> (Net, Partition) {
    let masses = graph.cells().iter().map(|cell| cell.volume).collect();
    let edges: Vec<[u32; 2]> = graph.faces().iter().map(|face| face.cells).collect();
    let areas = graph.faces().iter().map(|face| face.area).collect();
    let stiffness = graph.faces().iter().map(|face| face.area / face.distance).collect();
    let each = Partition::from_numbered((0..graph.cells().len() as u32).collect(), graph.cells().len());
    let net = Net::new(masses, edges, areas, stiffness).aggregate(&each);
    let parts = Partition::connected(net.len(), &net.edges, |_, _| true);
    (net, parts)
}
