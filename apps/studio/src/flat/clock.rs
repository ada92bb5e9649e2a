//! When steps are due: pause, single steps, slow motion.

/// No frame makes more steps than this: a slow machine shows slow motion instead of falling behind for ever.
const MOST_STEPS: u32 = 4;

/// Time as the sandbox has it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clock {
    /// Whether time goes on by itself.
    pub is_running: bool,
    /// How fast it goes: 1 is real time, 0.1 slow motion.
    pub speed: f64,
    /// Seconds that have gone by and were not stepped yet.
    owed: f64,
    /// Steps asked for one by one.
    asked: u32,
}

impl Default for Clock {
    fn default() -> Clock {
        Clock { is_running: true, speed: 1.0, owed: 0.0, asked: 0 }
    }
}

impl Clock {
    /// Asks for one step, and stops the clock.
    pub fn step_once(&mut self) {
        self.is_running = false;
        self.asked += 1;
    }

    /// How many steps are due after so many seconds, if one takes `step` seconds.
    pub fn steps_due(&mut self, seconds: f64, step: f64) -> u32 {
        if !self.is_running {
            self.owed = 0.0;
            return std::mem::take(&mut self.asked).min(MOST_STEPS);
        }
        self.owed += seconds.clamp(0.0, 1.0) * self.speed;
        let due = ((self.owed / step) as u32).min(MOST_STEPS);
        self.owed = (self.owed - f64::from(due) * step).min(step);
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEP: f64 = 1.0 / 60.0;

    #[test]
    fn slow_motion_steps_seldom_and_loses_none() {
        let mut clock = Clock { speed: 0.25, ..Clock::default() };
        let steps: u32 = (0..240).map(|_| clock.steps_due(STEP, STEP)).sum();
        assert!((59..=60).contains(&steps), "{steps}");
    }

    #[test]
    fn a_clock_that_stands_steps_when_asked() {
        let mut clock = Clock { is_running: false, ..Clock::default() };
        assert_eq!(clock.steps_due(1.0, STEP), 0);
        clock.step_once();
        assert_eq!((clock.steps_due(1.0, STEP), clock.steps_due(1.0, STEP)), (1, 0));
    }

    #[test]
    fn a_long_frame_does_not_pile_up() {
        let mut clock = Clock::default();
        assert_eq!(clock.steps_due(10.0, STEP), 4);
        assert!(clock.steps_due(0.0, STEP) <= 1);
    }
}
