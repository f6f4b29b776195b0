//! What each ref was called when it was last listed: a ref whose element became something else is refused.

use cairn_core::snapshot::QuickMap;

/// Names beyond this many bytes are forgotten all at once: nobody acts by refs that old.
const MOST_BYTES: usize = 8 << 20;

/// Role and name by the number of a node.
#[derive(Default)]
pub struct Refs {
    names: String,
    roles: Vec<String>,
    known: QuickMap<u32, Known>,
}

#[derive(Clone, Copy)]
struct Known {
    role: u32,
    start: u32,
    end: u32,
}

impl Refs {
    /// Remembers what a node was listed as.
    pub fn remember(&mut self, number: u32, role: &str, name: &str) {
        if self.get(number) == Some((role, name)) {
            return;
        }
        if self.names.len() + name.len() > MOST_BYTES {
            *self = Self::default();
        }
        let role_at = self.roles.iter().position(|known| known == role).unwrap_or_else(|| {
            self.roles.push(role.to_owned());
            self.roles.len() - 1
        });
        let start = self.names.len() as u32;
        self.names.push_str(name);
        self.known.insert(number, Known { role: role_at as u32, start, end: self.names.len() as u32 });
    }

    /// Role and name of a node as it was last listed.
    pub fn get(&self, number: u32) -> Option<(&str, &str)> {
        let known = self.known.get(&number)?;
        Some((
            self.roles.get(known.role as usize)?,
            self.names.get(known.start as usize..known.end as usize)?,
        ))
    }
}
