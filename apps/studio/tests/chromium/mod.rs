//! A browser that does what tests say: Chromium, by the protocol that its own tools speak.

use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};
use tungstenite::{Message, WebSocket, client};

/// A page in a browser. The browser ends with it.
pub struct Chromium {
    child: Child,
    socket: WebSocket<TcpStream>,
    session: String,
    asked: u64,
    profile: PathBuf,
}

/// Nothing of these is wanted: no network, no first run, no graphics card.
const SWITCHES: [&str; 12] = [
    "--headless",
    "--no-sandbox",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--window-size=1280,800",
    "--remote-debugging-port=0",
];

impl Chromium {
    /// Starts the browser named in the environment, or Debian's, on a page.
    pub fn open(page: &Path) -> Result<Chromium> {
        let program = std::env::var("CHROME").unwrap_or_else(|_| "chromium".into());
        let profile = std::env::temp_dir().join(format!("smithereens-page-{}", std::process::id()));
        let mut child = Command::new(&program)
            .args(SWITCHES)
            .arg(format!("--user-data-dir={}", profile.display()))
            .arg("about:blank")
            .stderr(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .with_context(|| {
                format!("{program}: install Chromium (Debian's package chromium), or name it in CHROME")
            })?;
        let mut lines = BufReader::new(child.stderr.take().context("its words")?).lines();
        let address =
            lines.find_map(|line| Some(line.ok()?.strip_prefix("DevTools listening on ")?.to_owned()));
        // It goes on to talk, and must not choke on it.
        std::thread::spawn(move || lines.for_each(drop));
        let address = address.context("the browser did not start")?;
        let place = address.trim_start_matches("ws://").split('/').next().context("an address")?;
        let stream = TcpStream::connect(place)?;
        let (socket, _) = client(&address, stream).map_err(|error| anyhow::anyhow!("{error}"))?;
        let mut chromium = Chromium { child, socket, session: String::new(), asked: 0, profile };
        let target = chromium.ask("Target.createTarget", json!({ "url": "about:blank" }))?;
        let to = json!({ "targetId": target["targetId"], "flatten": true });
        let session = chromium.ask("Target.attachToTarget", to)?;
        session["sessionId"].as_str().context("a session")?.clone_into(&mut chromium.session);
        chromium.ask("Page.navigate", json!({ "url": format!("file://{}", page.display()) }))?;
        Ok(chromium)
    }

    /// Asks it for something, and waits for the answer.
    pub fn ask(&mut self, method: &str, params: Value) -> Result<Value> {
        self.asked += 1;
        let mut question = json!({ "id": self.asked, "method": method, "params": params });
        if !self.session.is_empty() {
            question["sessionId"] = self.session.as_str().into();
        }
        self.socket.send(Message::text(question.to_string()))?;
        loop {
            let Message::Text(text) = self.socket.read()? else { continue };
            let mut answer: Value = serde_json::from_str(&text)?;
            if answer["id"] == self.asked {
                ensure!(answer.get("error").is_none(), "{method}: {}", answer["error"]);
                return Ok(answer["result"].take());
            }
        }
    }

    /// What a line of JavaScript comes to.
    pub fn evaluate(&mut self, script: &str) -> Result<Value> {
        let params = json!({ "expression": script, "awaitPromise": true, "returnByValue": true });
        let mut answer = self.ask("Runtime.evaluate", params)?;
        if let Some(thrown) = answer.get("exceptionDetails") {
            bail!("{script}: {thrown}");
        }
        Ok(answer["result"]["value"].take())
    }
}

impl Drop for Chromium {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
        std::fs::remove_dir_all(&self.profile).ok();
    }
}
