//! The program, run as a user runs it, but never for ever.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// How often a run is looked at.
const A_LOOK: Duration = Duration::from_millis(2);

/// The program, and how long a run of it may take.
#[derive(Clone, Debug)]
pub struct Program {
    /// Where it is.
    pub path: PathBuf,
    /// A run that takes longer is ended.
    pub longest: Duration,
}

/// What a run did.
#[derive(Clone, Debug)]
pub struct Run {
    /// The exit code; none if a signal ended it.
    pub code: Option<i32>,
    /// What it printed.
    pub out: String,
    /// What it printed as an error.
    pub err: String,
    /// How long it took.
    pub time: Duration,
}

impl Program {
    /// Runs it in a folder. An error if it cannot be run, or had to be ended.
    pub fn run(&self, folder: &Path, arguments: &[&str]) -> Result<Run, String> {
        let text = |error: std::io::Error| format!("{}: {error}", self.path.display());
        // Files, since a pipe that nobody empties holds up who writes to it.
        let logs = ["out", "err"].map(|ending| folder.with_extension(ending));
        let mut command = Command::new(&self.path);
        command.current_dir(folder).args(arguments).stdin(Stdio::null());
        command.stdout(File::create(&logs[0]).map_err(text)?);
        command.stderr(File::create(&logs[1]).map_err(text)?);
        let start = Instant::now();
        let mut child = command.spawn().map_err(text)?;
        let status = wait(&mut child, start + self.longest).map_err(text)?;
        let time = start.elapsed();
        let [out, err] = logs.map(|log| {
            let text = std::fs::read(&log).unwrap_or_default();
            std::fs::remove_file(&log).ok();
            String::from_utf8_lossy(&text).into_owned()
        });
        match status {
            Some(status) => Ok(Run { code: status.code(), out, err, time }),
            None => Err(format!("`{}` had not ended after {:?}", arguments.join(" "), self.longest)),
        }
    }
}

/// The status of a run that ends in time; one that does not is ended.
fn wait(child: &mut Child, end: Instant) -> std::io::Result<Option<ExitStatus>> {
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if Instant::now() > end {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(A_LOOK);
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_told_as_it_was_and_one_without_end_is_ended() {
        let folder = std::env::temp_dir().join(format!("smithereens-program-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let shell = Program { path: "/bin/sh".into(), longest: Duration::from_millis(300) };
        let run = shell.run(&folder, &["-c", "echo one; echo two >&2; exit 3"]).unwrap();
        assert_eq!((run.code, run.out.as_str(), run.err.as_str()), (Some(3), "one\n", "two\n"));
        let ended = shell.run(&folder, &["-c", "exec sleep 60"]).unwrap_err();
        assert!(ended.contains("had not ended"), "{ended}");
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
