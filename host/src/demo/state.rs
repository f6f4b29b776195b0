//! What the desk remembers while it runs.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Which build of the application is served.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Build {
    /// The one that is recorded.
    #[default]
    V1,
    /// The redesign.
    V2,
    /// The one in which a lookalike stands where a needed control stood.
    V3,
}

impl Build {
    /// Name of its folder.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::V1 => "v1",
            Self::V2 => "v2",
            Self::V3 => "v3",
        }
    }
}

impl fmt::Display for Build {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl FromStr for Build {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "v1" => Ok(Self::V1),
            "v2" => Ok(Self::V2),
            "v3" => Ok(Self::V3),
            other => Err(format!("no build is called {other:?}: say v1, v2 or v3")),
        }
    }
}

/// The one account of the desk.
pub struct Account;

impl Account {
    /// Its email.
    pub const EMAIL: &'static str = "ada@quayside.example";
    /// Its password. The demo's own: it protects nothing.
    pub const PASSWORD: &'static str = "Lantern-Harbour-42";
    /// Its name.
    pub const NAME: &'static str = "Ada Reyes";
}

/// A booking that was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Booking {
    /// Its number.
    pub number: u32,
    /// Name of the thing.
    pub equipment: String,
    /// Key of the department.
    pub department: String,
    /// ISO date.
    pub day: String,
    /// A technician comes along.
    pub technician: bool,
    /// Free text.
    pub note: String,
    /// The handover terms were accepted.
    pub accepted: bool,
}

/// One line of the journal: what the server did, or what a page says was pressed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Happening {
    /// `sign-in`, `booking`, `terms`, `discard`, or `click` for a pressed control.
    pub kind: String,
    /// What it happened to; for a click the control's name.
    pub name: String,
    /// Tag of a pressed control.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub tag: String,
    /// Path of the page, for a click.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub path: String,
}

impl Happening {
    /// Something that the server itself did.
    pub fn new(kind: &str, name: impl Into<String>) -> Self {
        Self { kind: kind.to_owned(), name: name.into(), tag: String::new(), path: String::new() }
    }
}

/// All that `GET /state` shows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateView {
    /// The build that is served now.
    pub build: Build,
    /// Bookings, oldest first.
    pub bookings: Vec<Booking>,
    /// Names of the things whose booking was thrown away.
    pub discarded: Vec<String>,
    /// The journal, oldest first.
    pub events: Vec<Happening>,
}

/// The desk's memory.
#[derive(Debug)]
pub struct Desk {
    /// What can be seen.
    pub view: StateView,
    /// Open sessions, by token.
    pub sessions: BTreeSet<String>,
    next_number: u32,
}

/// More lines than this are not kept: a page may not fill the memory.
const MOST_EVENTS: usize = 10_000;

impl Desk {
    /// An empty desk that serves `build`.
    pub fn new(build: Build) -> Self {
        Self {
            view: StateView { build, ..StateView::default() },
            sessions: BTreeSet::new(),
            next_number: 1047,
        }
    }

    /// Adds a line to the journal.
    pub fn note(&mut self, happening: Happening) {
        if self.view.events.len() < MOST_EVENTS {
            self.view.events.push(happening);
        }
    }

    /// Makes a booking and numbers it. Numbers go on after a reset, as they would in real life.
    pub fn book(&mut self, mut booking: Booking) -> Booking {
        booking.number = self.next_number;
        self.next_number += 1;
        self.note(Happening::new("booking", &booking.equipment));
        self.view.bookings.push(booking.clone());
        booking
    }

    /// Accepts the terms of a booking.
    pub fn accept(&mut self, number: u32) -> Option<Booking> {
        let booking = self.view.bookings.iter_mut().find(|booking| booking.number == number)?;
        booking.accepted = true;
        let booking = booking.clone();
        self.note(Happening::new("terms", booking.number.to_string()));
        Some(booking)
    }

    /// Forgets bookings and journal; sessions and the build stay.
    pub fn reset(&mut self) {
        self.view = StateView { build: self.view.build, ..StateView::default() };
    }
}
