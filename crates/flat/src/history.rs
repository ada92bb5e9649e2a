//! Undo, redo and restart: worlds put aside.

use crate::World;

/// Worlds as they were, to go back to. Fragments share what did not change, so that many fit in memory.
///
/// ```
/// use smithereens_flat::{Hit, History, Material, NewBody, Options, Pose, World};
/// use smithereens_planar::{Aabb, Shape};
/// use glam::DVec2;
/// let mut world = World::new(Options::default(), Material::table())?;
/// let id = world.add(NewBody::of(&Shape::new(&Aabb::square(1.0).corners(), &[])?, Pose::IDENTITY))?;
/// let mut history = History::new(&world);
/// history.mark(&world);
/// world.fracture(&Hit::at(id, DVec2::ZERO))?;
/// assert!(history.undo(&mut world) && world.bodies().count() == 1);
/// assert!(history.redo(&mut world) && world.bodies().count() > 1);
/// history.restart(&mut world);
/// assert_eq!(world.bodies().count(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct History {
    start: World,
    past: Vec<World>,
    future: Vec<World>,
    /// So many steps can be undone.
    pub most: usize,
}

impl History {
    /// Begins with a world as it is: that is what a restart goes back to.
    pub fn new(world: &World) -> History {
        History { start: world.clone(), past: Vec::new(), future: Vec::new(), most: 64 }
    }

    /// Puts a world aside, before something is done to it.
    pub fn mark(&mut self, world: &World) {
        self.past.push(world.clone());
        self.future.clear();
        let many = self.past.len().saturating_sub(self.most);
        self.past.drain(..many);
    }

    /// Goes back to the last mark. False: there is none.
    pub fn undo(&mut self, world: &mut World) -> bool {
        let Some(before) = self.past.pop() else { return false };
        self.future.push(std::mem::replace(world, before));
        true
    }

    /// Takes back the last undo. False: there is none.
    pub fn redo(&mut self, world: &mut World) -> bool {
        let Some(after) = self.future.pop() else { return false };
        self.past.push(std::mem::replace(world, after));
        true
    }

    /// How many steps can be undone, and how many done again.
    pub fn len(&self) -> (usize, usize) {
        (self.past.len(), self.future.len())
    }

    /// Whether nothing can be undone or done again.
    pub fn is_empty(&self) -> bool {
        self.len() == (0, 0)
    }

    /// Goes back to the beginning. That can be undone.
    pub fn restart(&mut self, world: &mut World) {
        self.mark(world);
        *world = self.start.clone();
    }
}
