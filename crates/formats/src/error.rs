//! What can be wrong with a file: each error names the culprit, and what to do where that is not plain.

use std::fmt;
use std::path::PathBuf;

/// Why a file could not be read.
///
/// ```
/// let error = smithereens_formats::read_obj(b"v 0 0 0\nf 1 2 3\n", None).unwrap_err();
/// assert_eq!(error.to_string(), "line 2: face refers to vertex 2, but the file has 1 so far");
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The file, or one that it needs, cannot be opened.
    #[error("cannot read {}: {cause}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        cause: std::io::Error,
    },
    /// The content of a file is at fault.
    #[error("{}: {cause}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// The fault.
        cause: Box<ReadError>,
    },
    /// A place in the file is at fault.
    #[error("{place}: {problem}")]
    At {
        /// Where.
        place: Place,
        /// What.
        problem: Problem,
    },
    /// There are no bytes.
    #[error("the file is empty: export it again")]
    Empty,
    /// Neither the file's ending nor its first bytes tell what it is.
    #[error("this is none of the formats OBJ, OFF, PLY, STL, glTF and GLB: convert it to one of them")]
    UnknownFormat,
    /// There is nothing to break.
    #[error("the file holds no faces: export a mesh, not points, curves or an empty scene")]
    NoFaces,
    /// A body in the file cannot be loaded.
    #[error("body \"{}\": {error}", shortened(name))]
    Body {
        /// Its name.
        name: String,
        /// What is wrong.
        error: smithereens::SavedError,
    },
    /// The glTF document is not what the specification says.
    #[error("the glTF document is invalid: {}", shortened(&.0.to_string()))]
    Json(#[from] serde_json::Error),
}

/// A place in a file, as a user would look for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A line of a text, counted from 1.
    Line(usize),
    /// A byte of a binary file, counted from 0.
    Byte(usize),
    /// A face, counted from 0.
    Face(usize),
    /// A vertex, counted from 0.
    Vertex(usize),
    /// A thing with a name of its own, such as `accessor 3`.
    Thing(String),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Line(n) => write!(f, "line {n}"),
            Place::Byte(n) => write!(f, "byte {n}"),
            Place::Face(n) => write!(f, "face {n}"),
            Place::Vertex(n) => write!(f, "vertex {n}"),
            Place::Thing(name) => f.write_str(name),
        }
    }
}

impl Place {
    pub(crate) fn thing(kind: &str, index: usize) -> Place {
        Place::Thing(format!("{kind} {index}"))
    }

    pub(crate) fn has<T>(self, problem: Problem) -> Result<T, ReadError> {
        Err(ReadError::At { place: self, problem })
    }
}

/// A text that an error can show: a damaged file may have names of megabytes.
pub(crate) fn shortened(text: &str) -> String {
    const SHOWN: usize = 120;
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// What is wrong at a place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// The file ends too early.
    #[error("the file ends where {expected} should follow: it was cut off, copy or export it again")]
    Ends {
        /// What should follow.
        expected: &'static str,
    },
    /// A value is missing.
    #[error("{expected} is missing")]
    Missing {
        /// What should be there.
        expected: &'static str,
    },
    /// A text is not the value that it should be.
    #[error("\"{found}\" is not {expected}")]
    Unexpected {
        /// The text, shortened.
        found: String,
        /// What should be there.
        expected: &'static str,
    },
    /// A coordinate is infinite or not a number.
    #[error("a coordinate is {found}, but must be finite: repair the mesh where it was made")]
    NotFinite {
        /// The coordinate.
        found: String,
    },
    /// An index refers to nothing.
    #[error("{referrer} refers to {what} {index}, but the file has {count}{}", if *growing { " so far" } else { "" })]
    OutOfRange {
        /// What holds the index.
        referrer: &'static str,
        /// What it should refer to.
        what: &'static str,
        /// The index as the file has it.
        index: i64,
        /// How many there are.
        count: usize,
        /// Whether more may come further on in the file.
        growing: bool,
    },
    /// A face is no polygon.
    #[error("face has {corners} corners, but needs 3 or more: remove it")]
    ShortFace {
        /// How many it has.
        corners: usize,
    },
    /// The file has fewer bytes than it says.
    #[error("{declared} {what} are declared, but only {bytes} bytes follow: the file was cut off or damaged")]
    TooFewBytes {
        /// Of what there should be more.
        what: &'static str,
        /// How many the file declares.
        declared: u64,
        /// How many bytes there are for them.
        bytes: usize,
    },
    /// The file is valid, but uses what is not implemented.
    #[error("{0}")]
    Unsupported(String),
    /// A rule of the format is broken.
    #[error("{0}")]
    Invalid(&'static str),
}

/// Why a model could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The file cannot be made.
    #[error("cannot write {}: {cause}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        cause: std::io::Error,
    },
    /// The file's ending names no format that is written.
    #[error("cannot tell the format of {}: end it with .obj, .off, .ply, .stl or .glb", .0.display())]
    UnknownFormat(PathBuf),
    /// A vertex is infinite or not a number.
    #[error("{place}: vertex {vertex} is not finite")]
    NotFinite {
        /// The mesh or node.
        place: String,
        /// The vertex.
        vertex: usize,
    },
    /// An index or the length of a list does not fit the rest.
    #[error("{place}: {problem}")]
    Inconsistent {
        /// The mesh or node.
        place: String,
        /// What does not fit.
        problem: String,
    },
    /// The format cannot hold the texture.
    #[error("texture \"{name}\" is {kind}, but glTF holds only PNG and JPEG: convert it")]
    Texture {
        /// The image's name.
        name: String,
        /// What it is.
        kind: &'static str,
    },
    /// There is nothing to play.
    #[error("the recording has {frames} frames of {actors} actors: record at least one of each")]
    EmptyRecording {
        /// How many frames it has.
        frames: u32,
        /// How many actors it has.
        actors: usize,
    },
    /// Frames cannot be told apart by their times.
    #[error(
        "{frames} frames at {frames_per_second} a second have no times of their own in single precision: \
         record at most 4194304 frames, some of them a second"
    )]
    Timeline {
        /// How many frames there are.
        frames: u32,
        /// At what rate.
        frames_per_second: f64,
    },
    /// An actor of a recording cannot be played.
    #[error("actor {index} \"{}\": {problem}", shortened(name))]
    Actor {
        /// Its place in the recording, counted from 0.
        index: usize,
        /// Its name.
        name: String,
        /// What is wrong with it.
        problem: ActorProblem,
    },
    /// The format counts in 32 bits.
    #[error("the file would be larger than 4 GiB: write the fragments in several files")]
    TooLarge,
}

/// What is wrong with an actor of a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ActorProblem {
    /// It is never anywhere.
    #[error("it has no pose: give it the one it is born with")]
    NoPose,
    /// A pose is infinite or not a number.
    #[error("its pose on frame {frame} is not finite")]
    NotFinite {
        /// The frame of the pose.
        frame: u32,
    },
    /// A rotation is zero, and so none.
    #[error("its rotation on frame {frame} is zero, but must be a unit quaternion")]
    NoRotation {
        /// The frame of the pose.
        frame: u32,
    },
    /// Poses are not in the order of time.
    #[error("its pose on frame {frame} follows one on frame {after}: poses must be in the order of frames")]
    NotAscending {
        /// The frame of the pose.
        frame: u32,
        /// The frame of the pose before.
        after: u32,
    },
    /// A pose lies behind the end of the recording.
    #[error("it has a pose on frame {frame}, but the recording ends before frame {frames}")]
    PastEnd {
        /// The frame of the pose.
        frame: u32,
        /// How many frames there are.
        frames: u32,
    },
    /// A pose follows the end of the actor, or it ends as it is born.
    #[error("it has a pose on frame {frame}, but is gone from frame {gone} on")]
    AfterGone {
        /// The frame of the pose.
        frame: u32,
        /// The first frame without it.
        gone: u32,
    },
}
