//! What is wrong with a mesh, counted and named.

pub(crate) mod crossing;
mod survey;

use smithereens_geometry::{Aabb, Mesh, SolidError};

/// How many culprits of a kind are named.
pub const NAMED: usize = 5;

/// What shells that overlap are called.
const SHELLS_THROUGH: &str = "shells through one another";
const SHELLS_WITHIN: &str = "shells within another";

/// Something that is wrong with a mesh.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What it is, in a few words: "holes".
    pub name: &'static str,
    /// How many there are; at least so many faces through one another, if [`Inspection::is_partial`].
    pub count: usize,
    /// The first few, each in words: "edge 12–57 borders 3 faces".
    pub first: Vec<String>,
}

/// A hole: a loop of open edges.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hole {
    /// How many edges it has.
    pub edges: usize,
    /// The way around it.
    pub length: f64,
    /// A vertex of it.
    pub vertex: u32,
}

/// What can be done with a mesh as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// A solid, and nothing in it passes through anything.
    Sound,
    /// A solid by its edges, but parts of it overlap.
    Usable,
    /// No solid: it must be repaired.
    Broken,
    /// There is nothing to repair.
    Hopeless,
}

/// All that was found. Vertices and faces have the numbers of the mesh; vertices at one place count as one.
#[derive(Clone, Debug, PartialEq)]
pub struct Inspection {
    /// How many faces there are.
    pub faces: usize,
    /// How many triangles they make.
    pub triangles: usize,
    /// How many vertices there are.
    pub vertices: usize,
    /// How many parts hang together by edges.
    pub parts: usize,
    /// Whether every edge is between two faces, or an even number of them.
    pub is_closed: bool,
    /// The area of all faces.
    pub area: f64,
    /// The signed volume, if it is closed.
    pub volume: Option<f64>,
    /// The box around all finite vertices in use.
    pub bounds: Aabb,
    /// All holes, longest first.
    pub holes: Vec<Hole>,
    /// What is wrong, kind by kind; kinds of which there is nothing are left out.
    pub findings: Vec<Finding>,
    /// Whether so much passes through so much that not all of it was counted.
    pub is_partial: bool,
    /// Why it is no solid as it is, if it is none.
    pub error: Option<SolidError>,
    /// What can be done with it.
    pub verdict: Verdict,
}

impl Inspection {
    /// What is to be done, in plain words.
    pub fn advice(&self) -> &'static str {
        match self.verdict {
            Verdict::Sound => "It is a solid, and can be broken as it is.",
            Verdict::Usable if self.has_shells_that_overlap() => {
                "It is closed, but shells overlap, and what they share would count twice. They are made one before it is \
                 broken."
            }
            Verdict::Usable => {
                "It is watertight, and broken as it is: no watertight model is changed unasked. But a shell passes through \
                 itself. Where it overlaps, volume and mass count twice and faces inside show in breaks; where it is \
                 folded inside out, pieces are dropped, and the report says how much. On request it is made one with \
                 itself, exactly."
            }
            Verdict::Broken => "It is no solid. It is mended before it is broken; every step is said.",
            Verdict::Hopeless => "It has no faces with finite corners and an area: there is nothing to mend.",
        }
    }

    /// The options of the commands that mend it, if it needs any.
    pub fn remedy(&self) -> Option<&'static str> {
        match self.verdict {
            Verdict::Sound | Verdict::Hopeless => None,
            Verdict::Usable if self.has_shells_that_overlap() => Some("--repair auto"),
            Verdict::Usable => Some("--overlaps unite-all"),
            Verdict::Broken => Some("--repair auto"),
        }
    }

    fn has_shells_that_overlap(&self) -> bool {
        self.findings.iter().any(|f| [SHELLS_THROUGH, SHELLS_WITHIN].contains(&f.name))
    }
}

/// Looks a mesh over. Takes any mesh, also an empty one or one whose lists do not fit; time is near-linear.
///
/// ```
/// use smithereens_geometry::{Aabb, Convex, Slot};
/// use smithereens_repair::{Verdict, inspect};
/// let mut mesh = Convex::from_box(&Aabb::cube(1.0)).to_mesh(Slot(0));
/// assert_eq!(inspect(&mesh).verdict, Verdict::Sound);
/// mesh.faces.pop();
/// let inspection = inspect(&mesh);
/// assert_eq!(inspection.verdict, Verdict::Broken);
/// assert_eq!(inspection.holes[0].length, 8.0);
/// ```
pub fn inspect(mesh: &Mesh) -> Inspection {
    survey::survey(mesh)
}
