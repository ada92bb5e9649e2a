//! Values that are listed once each: formats refer to them by index.

/// The distinct values among many, in order of first appearance.
pub(crate) struct Listed {
    /// The place of the first of each.
    pub(crate) firsts: Vec<usize>,
    /// For each value, which of the firsts it equals.
    pub(crate) index: Vec<u32>,
}

impl Listed {
    pub(crate) fn of<K: Ord>(values: impl IntoIterator<Item = K>) -> Listed {
        let values: Vec<K> = values.into_iter().collect();
        let mut order: Vec<usize> = (0..values.len()).collect();
        order.sort_by_key(|&place| &values[place]);
        let mut first_of = vec![0; values.len()];
        for (i, &place) in order.iter().enumerate() {
            let same = i > 0 && values[order[i - 1]] == values[place];
            first_of[place] = if same { first_of[order[i - 1]] } else { place };
        }
        let mut listed = Listed { firsts: Vec::new(), index: vec![0; values.len()] };
        for (place, first) in first_of.into_iter().enumerate() {
            if first == place {
                listed.index[place] = listed.firsts.len() as u32;
                listed.firsts.push(place);
            } else {
                listed.index[place] = listed.index[first];
            }
        }
        listed
    }
}

/// What a drawn vertex is told apart by: its vertex, normal and texture coordinate.
pub(crate) fn look(mesh: &smithereens_geometry::Mesh, corner: usize) -> impl Ord + use<> {
    let normal = mesh.normals.get(corner).map(|n| n.to_array().map(f32::to_bits));
    let uv = mesh.uvs.get(corner).map(|uv| uv.to_array().map(f32::to_bits));
    (mesh.corners[corner], normal, uv)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_share_an_index() {
        let listed = Listed::of([7, 3, 7, 9, 3]);
        assert_eq!(listed.firsts, [0, 1, 3]);
        assert_eq!(listed.index, [0, 1, 0, 2, 1]);
    }
}
