//! Pairing: one-time codes, and the keys that they were exchanged for.

use std::collections::HashMap;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use cairn_core::wire::worker::{NewKey, Proof, ProofKind};
use serde::{Deserialize, Serialize};

use super::proof::{Side, mac, random_hex, same};
use crate::daemon::Hub;
use crate::exit::{ErrorKind, Failure};

/// Life of a one-time code.
pub const CODE_LIFE: Duration = Duration::from_mins(1);

/// Wrong proofs before the back-off begins.
const FREE_TRIES: u32 = 5;

/// The first back-off; it doubles with every further wrong proof.
const FIRST_BACK_OFF: Duration = Duration::from_secs(2);

/// The longest back-off.
const LONGEST_BACK_OFF: Duration = Duration::from_mins(5);

/// Codes that may be live at once; a new one beyond that ends the oldest.
const LIVE_CODES: usize = 32;

const FILE: &str = "keys.json";

/// Why a proof is not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unproven {
    /// No such key.
    #[error("this browser is not paired with this data folder: run `cairn pair` and open the link in it")]
    NotPaired,
    /// Wrong, expired or used.
    #[error("the proof is wrong, or its code has expired or was used: run `cairn pair` for a new link")]
    Wrong,
    /// Too many wrong proofs.
    #[error("too many wrong proofs: wait, then run `cairn pair` for a new link")]
    BackOff,
}

/// An accepted proof.
pub struct Proven {
    /// Id of the browser's key.
    pub key_id: String,
    /// The hub that the browser belongs to.
    pub hub: Hub,
    /// The host's proof.
    pub mac: String,
    /// The key that the code was exchanged for.
    pub new_key: Option<NewKey>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct StoredKey {
    id: String,
    secret: String,
    created: String,
}

#[derive(Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct KeyFile {
    version: u32,
    keys: Vec<StoredKey>,
}

struct Code {
    text: String,
    until: Instant,
    hub: Hub,
    kept: bool,
}

struct State {
    file: KeyFile,
    /// Keys of browsers that this process started: never written down.
    own: HashMap<String, (String, Hub)>,
    codes: Vec<Code>,
    wrong: u32,
    closed_until: Option<Instant>,
}

/// The keys of one daemon.
pub struct Keyring {
    path: Option<PathBuf>,
    hub: Hub,
    state: Mutex<State>,
}

impl Keyring {
    /// Reads the keys of a data folder; without one, keys live as long as the process.
    ///
    /// # Errors
    /// The file cannot be read, or is damaged.
    pub fn open(data: Option<&Path>, hub: Hub) -> Result<Self, Failure> {
        let path = data.map(|folder| folder.join(FILE));
        let file = match &path {
            Some(path) => read(path)?,
            None => KeyFile::default(),
        };
        let state = State { file, own: HashMap::new(), codes: Vec::new(), wrong: 0, closed_until: None };
        Ok(Self { path, hub, state: Mutex::new(state) })
    }

    /// A one-time code for the person's browser: its key is kept.
    ///
    /// # Errors
    /// The system has no randomness to give.
    pub fn invite(&self) -> io::Result<String> {
        self.new_code(self.hub.clone(), true)
    }

    /// A one-time code for a browser of our own: it belongs to `hub`, and its key dies with this process.
    ///
    /// # Errors
    /// The system has no randomness to give.
    pub fn invite_own(&self, hub: Hub) -> io::Result<String> {
        self.new_code(hub, false)
    }

    /// How many browsers have been paired with this data folder.
    pub fn paired(&self) -> usize {
        self.state().file.keys.len()
    }

    /// Judges a proof over the nonce that we sent.
    ///
    /// # Errors
    /// Why it is not accepted.
    pub fn verify(&self, proof: &Proof, host_nonce: &str) -> Result<Proven, Unproven> {
        // A nonce is 32 bytes in hex: with a shorter one of its own choice a caller could aim at a mac of ours.
        if proof.nonce.len() != 64 || !proof.nonce.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(Unproven::Wrong);
        }
        match proof.with {
            ProofKind::Key => self.verify_key(proof, host_nonce),
            ProofKind::Code => self.verify_code(proof, host_nonce),
        }
    }

    fn verify_key(&self, proof: &Proof, host_nonce: &str) -> Result<Proven, Unproven> {
        let mut state = self.state();
        let kept = state.file.keys.iter().find(|key| key.id == proof.key_id);
        let kept = kept.map(|key| (key.secret.clone(), self.hub.clone()));
        let known = kept.or_else(|| state.own.get(&proof.key_id).cloned());
        // An unknown id is no try at a secret: a browser that was paired with another data folder keeps coming, and must not
        // lock the others out.
        let Some((secret, hub)) = known else { return Err(Unproven::NotPaired) };
        // A key has 256 bits: guessing is hopeless, so the true owner is let in even while others are made to wait.
        if !same(&proof.mac, &mac(&secret, Side::Worker, host_nonce, &proof.nonce)) {
            return Err(state.was_wrong());
        }
        let mac = mac(&secret, Side::Host, host_nonce, &proof.nonce);
        Ok(Proven { key_id: proof.key_id.clone(), hub, mac, new_key: None })
    }

    fn verify_code(&self, proof: &Proof, host_nonce: &str) -> Result<Proven, Unproven> {
        let mut state = self.state();
        let now = Instant::now();
        if state.closed_until.is_some_and(|until| now < until) {
            return Err(Unproven::BackOff);
        }
        state.codes.retain(|code| now < code.until);
        let proved = state
            .codes
            .iter()
            .position(|code| same(&proof.mac, &mac(&code.text, Side::Worker, host_nonce, &proof.nonce)));
        let Some(position) = proved else { return Err(state.was_wrong()) };
        let code = state.codes.remove(position);
        let (Ok(id), Ok(secret)) = (random_hex(8), random_hex(32)) else { return Err(Unproven::Wrong) };
        if code.kept {
            let created = jiff::Timestamp::now().to_string();
            state.file.keys.push(StoredKey { id: id.clone(), secret: secret.clone(), created });
            if let Err(error) = self.save(&state.file) {
                tracing::error!(
                    "the pairing key could not be stored, the browser must be paired again: {error}"
                );
            }
        } else {
            state.own.insert(id.clone(), (secret.clone(), code.hub.clone()));
        }
        state.wrong = 0;
        state.closed_until = None;
        let mac = mac(&code.text, Side::Host, host_nonce, &proof.nonce);
        let new_key = Some(NewKey { id: id.clone(), secret });
        Ok(Proven { key_id: id, hub: code.hub, mac, new_key })
    }

    fn new_code(&self, hub: Hub, kept: bool) -> io::Result<String> {
        let text = random_hex(16)?;
        let mut state = self.state();
        let now = Instant::now();
        state.codes.retain(|code| now < code.until);
        if state.codes.len() == LIVE_CODES {
            state.codes.remove(0);
        }
        state.codes.push(Code { text: text.clone(), until: now + CODE_LIFE, hub, kept });
        Ok(text)
    }

    fn save(&self, file: &KeyFile) -> io::Result<()> {
        let Some(path) = &self.path else { return Ok(()) };
        let text = serde_json::to_vec_pretty(file).map_err(io::Error::other)?;
        write_secret(path, &text)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Counts a wrong proof.
    fn was_wrong(&mut self) -> Unproven {
        self.wrong = self.wrong.saturating_add(1);
        if self.wrong >= FREE_TRIES {
            let doublings = (self.wrong - FREE_TRIES).min(16);
            let wait = FIRST_BACK_OFF.saturating_mul(1 << doublings).min(LONGEST_BACK_OFF);
            self.closed_until = Some(Instant::now() + wait);
        }
        Unproven::Wrong
    }
}

fn read(path: &Path) -> Result<KeyFile, Failure> {
    let text = match fs::read(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Ok(KeyFile { version: 1, keys: Vec::new() });
        }
        Err(error) => {
            let next = "give this user the right to read it, or choose another folder with --data";
            return Err(Failure::new(
                ErrorKind::DataFolder,
                format!("the pairing keys cannot be read: {error}"),
                next,
            )
            .at(path.display().to_string()));
        }
    };
    let damaged = |what: String| {
        let next = "remove the file and pair the browser again, or choose another folder with --data";
        Failure::new(ErrorKind::DataFolder, what, next).at(path.display().to_string())
    };
    let file: KeyFile = serde_json::from_slice(&text)
        .map_err(|error| damaged(format!("the pairing keys are damaged: {error}")))?;
    if file.version > 1 {
        return Err(damaged(format!("the pairing keys are of version {}, this Cairn reads 1", file.version)));
    }
    Ok(file)
}

/// Writes a file that only its owner may read, whole or not at all.
///
/// # Errors
/// The folder cannot be written.
pub(in crate::daemon) fn write_secret(path: &Path, text: &[u8]) -> io::Result<()> {
    let folder = path.parent().ok_or_else(|| io::Error::other("a file needs a folder"))?;
    // Temporary files are made 0600, and a rename keeps that.
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(text)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOST_NONCE: &str = "host";

    fn proof(with: ProofKind, key_id: &str, secret: &str) -> Proof {
        let nonce = "ab".repeat(32);
        Proof {
            protocol: 1,
            mac: mac(secret, Side::Worker, HOST_NONCE, &nonce),
            nonce,
            with,
            key_id: key_id.into(),
            extension_version: String::new(),
            life: String::new(),
        }
    }

    fn keyring(data: Option<&Path>) -> Keyring {
        Keyring::open(data, Hub::new()).unwrap()
    }

    #[test]
    fn a_code_is_exchanged_once_for_a_key_that_outlives_the_daemon() {
        let data = tempfile::tempdir().unwrap();
        let keys = keyring(Some(data.path()));
        let code = keys.invite().unwrap();
        let by_code = proof(ProofKind::Code, "", &code);
        let proven = keys.verify(&by_code, HOST_NONCE).ok().unwrap();
        assert_eq!(proven.mac, mac(&code, Side::Host, HOST_NONCE, &by_code.nonce));
        assert_eq!(keys.verify(&by_code, HOST_NONCE).err(), Some(Unproven::Wrong), "used");

        let key = proven.new_key.unwrap();
        let later = keyring(Some(data.path()));
        assert_eq!(later.paired(), 1);
        assert!(later.verify(&proof(ProofKind::Key, &key.id, &key.secret), HOST_NONCE).is_ok());
        let other = later.verify(&proof(ProofKind::Key, &key.id, &code), HOST_NONCE);
        assert_eq!(other.err(), Some(Unproven::Wrong));
    }

    #[cfg(unix)]
    #[test]
    fn keys_are_for_their_owner_alone() {
        use std::os::unix::fs::PermissionsExt as _;
        let data = tempfile::tempdir().unwrap();
        let keys = keyring(Some(data.path()));
        let code = keys.invite().unwrap();
        keys.verify(&proof(ProofKind::Code, "", &code), HOST_NONCE).ok().unwrap();
        let mode = data.path().join(FILE).metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn a_browser_of_our_own_leaves_no_key() {
        let data = tempfile::tempdir().unwrap();
        let keys = keyring(Some(data.path()));
        let code = keys.invite_own(Hub::new()).unwrap();
        let proven = keys.verify(&proof(ProofKind::Code, "", &code), HOST_NONCE).ok().unwrap();
        let key = proven.new_key.unwrap();
        assert!(
            keys.verify(&proof(ProofKind::Key, &key.id, &key.secret), HOST_NONCE).is_ok(),
            "it may come back"
        );
        assert!(!data.path().join(FILE).exists());
    }

    #[test]
    fn five_wrong_codes_begin_a_back_off_that_keys_do_not_feel() {
        let keys = keyring(None);
        let code = keys.invite().unwrap();
        let proven = keys.verify(&proof(ProofKind::Code, "", &code), HOST_NONCE).ok().unwrap();
        let key = proven.new_key.unwrap();
        let code = keys.invite().unwrap();
        for _ in 0..5 {
            let wrong = keys.verify(&proof(ProofKind::Code, "", "guess"), HOST_NONCE);
            assert_eq!(wrong.err(), Some(Unproven::Wrong));
        }
        let right = keys.verify(&proof(ProofKind::Code, "", &code), HOST_NONCE);
        assert_eq!(right.err(), Some(Unproven::BackOff));
        assert!(keys.verify(&proof(ProofKind::Key, &key.id, &key.secret), HOST_NONCE).is_ok());
    }

    #[test]
    fn an_unknown_key_is_no_try() {
        let keys = keyring(None);
        for _ in 0..20 {
            let unknown = keys.verify(&proof(ProofKind::Key, "other", "other"), HOST_NONCE);
            assert_eq!(unknown.err(), Some(Unproven::NotPaired));
        }
        let code = keys.invite().unwrap();
        assert!(keys.verify(&proof(ProofKind::Code, "", &code), HOST_NONCE).is_ok());
    }

    #[test]
    fn odd_nonces_prove_nothing() {
        let keys = keyring(None);
        let code = keys.invite().unwrap();
        let mut odd = proof(ProofKind::Code, "", &code);
        odd.nonce = "short".into();
        odd.mac = mac(&code, Side::Worker, HOST_NONCE, "short");
        assert_eq!(keys.verify(&odd, HOST_NONCE).err(), Some(Unproven::Wrong));
    }

    #[test]
    fn damaged_and_newer_files_are_refused_with_their_place() {
        let data = tempfile::tempdir().unwrap();
        for text in ["{", r#"{"version":2,"keys":[]}"#] {
            fs::write(data.path().join(FILE), text).unwrap();
            let failure = Keyring::open(Some(data.path()), Hub::new()).err().unwrap();
            assert_eq!(failure.kind, ErrorKind::DataFolder);
            assert!(failure.place.ends_with(FILE));
        }
    }
}
