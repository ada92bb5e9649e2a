//! Triangles that only disturb: without area, or there twice.

use crate::soup::Soup;

/// Drops triangles that use a vertex twice. Returns how many.
pub(crate) fn drop_collapsed(soup: &mut Soup) -> usize {
    let keep: Vec<bool> = soup.triangles.iter().map(|t| !is_collapsed(t.vertices)).collect();
    soup.retain(&keep)
}

/// Whether a triangle uses a vertex twice.
pub(crate) fn is_collapsed([a, b, c]: [u32; 3]) -> bool {
    a == b || b == c || c == a
}

/// Drops triangles that use the same three vertices as an earlier one, whichever way they look: one stays, wound as
/// most of them are. (Both sides of a model drawn from both sides would enclose nothing.) Returns how many went.
pub(crate) fn drop_duplicates(soup: &mut Soup) -> usize {
    let mut keep = vec![true; soup.triangles.len()];
    let mut two_sided = Vec::new();
    for group in by_vertices(soup).chunk_by(|a, b| a.0 == b.0).filter(|g| g.len() > 1) {
        let turned = |t: u32| is_turned(soup.triangles[t as usize].vertices);
        let down = group.iter().filter(|g| turned(g.1)).count();
        let most = if 2 * down == group.len() { turned(group[0].1) } else { 2 * down > group.len() };
        let kept = group.iter().find(|g| turned(g.1) == most).map(|g| g.1);
        group.iter().for_each(|g| keep[g.1 as usize] = kept == Some(g.1));
        two_sided.extend(kept.filter(|_| down > 0 && down < group.len()));
    }
    two_sided.into_iter().for_each(|t| soup.triangles[t as usize].two_sided = true);
    soup.retain(&keep)
}

/// The triangles with their vertices in order, those of the same vertices side by side.
pub(crate) fn by_vertices(soup: &Soup) -> Vec<([u32; 3], u32)> {
    let sorted = |mut vertices: [u32; 3]| {
        vertices.sort_unstable();
        vertices
    };
    let mut triangles: Vec<([u32; 3], u32)> =
        soup.triangles.iter().map(|t| sorted(t.vertices)).zip(0..).collect();
    triangles.sort_unstable();
    triangles
}

/// Whether the vertices run against their order.
fn is_turned([a, b, c]: [u32; 3]) -> bool {
    let rises = [a < b, b < c, c < a].into_iter().filter(|r| *r).count();
    rises < 2
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::soup::Triangle;
    use glam::DVec3;
    use smithereens_geometry::Slot;

    fn soup(triangles: &[[u32; 3]]) -> Soup {
        Soup {
            positions: vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z],
            triangles: triangles.iter().map(|&t| Triangle::plain(t, Slot(0))).collect(),
            ..Soup::default()
        }
    }

    #[test]
    fn one_of_all_copies_stays() {
        let mut copies = soup(&[[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1]]);
        assert_eq!(drop_duplicates(&mut copies), 3);
        assert_eq!(copies.triangles[0].vertices, [0, 1, 2]);
        let mut opposites = soup(&[[0, 2, 1], [0, 1, 2], [1, 2, 3]]);
        assert_eq!(drop_duplicates(&mut opposites), 1);
        assert_eq!(opposites.triangles[0].vertices, [0, 2, 1]);
        assert!(opposites.triangles[0].two_sided && !opposites.triangles[1].two_sided);
        assert_eq!(drop_collapsed(&mut soup(&[[0, 0, 1], [0, 1, 2]])), 1);
    }
}
