//! The documents of one lease: their numbers, which of them are ready, and the questions that wait for them.

use std::collections::{BTreeMap, HashMap, VecDeque};

use cairn_core::element::{FramePath, FrameStep};
use cairn_core::wire::page::{Configure, PageAnswer};
use cairn_core::wire::worker::FrameInfo;
use cairn_core::wire::{ErrorCode, WireError};
use tokio::sync::oneshot;

/// How many earlier documents keep their number: enough for the history a person or a script goes back through.
const REMEMBERED_DOCUMENTS: usize = 256;

/// A question to a probe that has no answer yet.
pub(in crate::daemon) struct PendingAsk {
    pub(in crate::daemon) document: String,
    pub(in crate::daemon) answer: oneshot::Sender<Result<PageAnswer, WireError>>,
}

/// Whether a frame's document can be asked.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::daemon) enum Readiness {
    /// Committed; its probe has not reported yet.
    Awaited,
    /// Its probe is configured.
    Ready,
    /// Its probe could not be started.
    Failed(WireError),
}

/// The document that a frame shows now.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::daemon) struct Frame {
    pub(in crate::daemon) document: String,
    pub(in crate::daemon) number: u32,
    pub(in crate::daemon) parent: i32,
    pub(in crate::daemon) place: u32,
    pub(in crate::daemon) url: String,
    pub(in crate::daemon) engine: String,
    pub(in crate::daemon) readiness: Readiness,
}

/// Every document of one lease.
#[derive(Default)]
pub(in crate::daemon) struct Documents {
    frames: BTreeMap<i32, Frame>,
    numbers: HashMap<String, u32>,
    order: VecDeque<String>,
    last: u32,
    pub(in crate::daemon) asks: HashMap<u64, PendingAsk>,
}

impl Documents {
    pub(in crate::daemon) fn frame(&self, frame: i32) -> Option<&Frame> {
        self.frames.get(&frame)
    }

    pub(in crate::daemon) fn ready_frames(&self) -> impl Iterator<Item = (i32, &Frame)> {
        self.frames
            .iter()
            .filter(|(_, frame)| frame.readiness == Readiness::Ready)
            .map(|(id, frame)| (*id, frame))
    }

    /// The number of a document. One that comes back from the back/forward cache keeps the number it had: its refs live on.
    pub(in crate::daemon) fn number_of(&mut self, document: &str) -> u32 {
        if let Some(number) = self.numbers.get(document) {
            return *number;
        }
        self.last += 1;
        self.numbers.insert(document.to_owned(), self.last);
        self.order.push_back(document.to_owned());
        if self.order.len() > REMEMBERED_DOCUMENTS
            && let Some(oldest) = self.order.pop_front()
        {
            self.numbers.remove(&oldest);
        }
        self.last
    }

    /// A frame shows another document, whose probe is still to come. Gives its number.
    pub(in crate::daemon) fn committed(&mut self, frame: i32, document: &str, url: &str) -> u32 {
        let number = self.number_of(document);
        match self.frames.get_mut(&frame) {
            // The stub may report before the browser says that the document was committed.
            Some(known) if known.document == document => url.clone_into(&mut known.url),
            known => {
                let (parent, place) = known.map_or((-1, 0), |known| (known.parent, known.place));
                let next = Frame {
                    document: document.to_owned(),
                    number,
                    parent,
                    place,
                    url: url.to_owned(),
                    engine: String::new(),
                    readiness: Readiness::Awaited,
                };
                self.frames.insert(frame, next);
                if frame == 0 {
                    self.frames.retain(|id, _| *id == 0);
                }
            }
        }
        number
    }

    /// A frame's probe has reported. Gives the document's number.
    pub(in crate::daemon) fn ready(&mut self, info: &FrameInfo) -> u32 {
        let number = self.number_of(&info.document);
        let frame = Frame {
            document: info.document.clone(),
            number,
            parent: info.parent,
            place: info.place,
            url: info.url.clone(),
            engine: info.engine.clone(),
            readiness: Readiness::Ready,
        };
        self.frames.insert(info.frame, frame);
        number
    }

    /// A frame's probe cannot be started.
    pub(in crate::daemon) fn failed(&mut self, frame: i32, error: WireError) {
        if let Some(known) = self.frames.get_mut(&frame) {
            known.readiness = Readiness::Failed(error);
        } else {
            let failed = Frame {
                document: String::new(),
                number: 0,
                parent: -1,
                place: 0,
                url: String::new(),
                engine: String::new(),
                readiness: Readiness::Failed(error),
            };
            self.frames.insert(frame, failed);
        }
    }

    /// What a document's probe is told first.
    pub(in crate::daemon) fn configure(&self, template: &Configure, frame: i32) -> Configure {
        let document = self.frames.get(&frame).map_or(0, |frame| frame.number);
        Configure { document, frame: self.path(frame), ..template.clone() }
    }

    /// The way from the top frame to `frame`.
    fn path(&self, mut frame: i32) -> FramePath {
        let mut path = FramePath::new();
        while frame != 0 {
            let Some(known) = self.frames.get(&frame) else { break };
            path.insert(0, FrameStep { index: known.place, name: String::new(), url: known.url.clone() });
            // A cycle cannot come from a browser, but the numbers are somebody else's.
            if path.len() > 64 || known.parent == frame || known.parent < 0 {
                break;
            }
            frame = known.parent;
        }
        path
    }

    /// The frame that shows a document.
    pub(in crate::daemon) fn frame_of(&self, document: u32) -> Option<i32> {
        self.frames.iter().find(|(_, frame)| frame.number == document).map(|(id, _)| *id)
    }

    /// The document that the frame of this path shows, where it can be asked.
    pub(in crate::daemon) fn shown_in(&self, path: &[FrameStep]) -> Option<u32> {
        let places = |path: &[FrameStep]| path.iter().map(|step| step.index).collect::<Vec<_>>();
        let wanted = places(path);
        let fits = |id: &i32| places(&self.path(*id)) == wanted && (*id == 0) == path.is_empty();
        self.ready_frames().find(|(id, _)| fits(id)).map(|(_, frame)| frame.number)
    }

    /// Fails every question to a document that no frame shows any more.
    pub(in crate::daemon) fn drop_stale_asks(&mut self) {
        let shown: Vec<&str> = self.frames.values().map(|frame| frame.document.as_str()).collect();
        let stale = self.asks.iter().filter(|(_, ask)| !shown.contains(&ask.document.as_str()));
        let stale: Vec<u64> = stale.map(|(id, _)| *id).collect();
        for id in stale {
            self.fail_ask(id, &left());
        }
    }

    /// A question's answer. One that nobody waits for any more is dropped.
    pub(in crate::daemon) fn answer(&mut self, id: u64, answer: Result<PageAnswer, WireError>) {
        if let Some(ask) = self.asks.remove(&id) {
            let _ = ask.answer.send(answer);
        }
    }

    /// Fails every question to one document.
    pub(in crate::daemon) fn undelivered(&mut self, document: &str) {
        let lost = self.asks.iter().filter(|(_, ask)| ask.document == document);
        let lost: Vec<u64> = lost.map(|(id, _)| *id).collect();
        for id in lost {
            self.fail_ask(id, &left());
        }
    }

    /// Fails every question.
    pub(in crate::daemon) fn fail_all(&mut self, error: &WireError) {
        for (_, ask) in self.asks.drain() {
            // Nobody may wait any more; that is fine.
            let _ = ask.answer.send(Err(error.clone()));
        }
    }

    fn fail_ask(&mut self, id: u64, error: &WireError) {
        if let Some(ask) = self.asks.remove(&id) {
            let _ = ask.answer.send(Err(error.clone()));
        }
    }
}

/// The error of a question whose document was left.
pub(in crate::daemon) fn left() -> WireError {
    WireError::new(ErrorCode::Gone, "the page was left before it answered", "ask the page that came after it")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(frame: i32, document: &str) -> FrameInfo {
        FrameInfo { frame, parent: -1, document: document.into(), ..FrameInfo::default() }
    }

    #[test]
    fn documents_are_numbered_in_order_and_keep_their_number() {
        let mut documents = Documents::default();
        assert_eq!(documents.ready(&info(0, "a")), 1);
        assert_eq!(documents.committed(0, "b", "u"), 2);
        assert_eq!(documents.frame(0).map(|frame| frame.readiness.clone()), Some(Readiness::Awaited));
        assert_eq!(documents.ready(&info(0, "b")), 2);
        assert_eq!(documents.committed(0, "a", "u"), 1, "back from the cache");
    }

    #[test]
    fn ready_before_committed_is_one_document() {
        let mut documents = Documents::default();
        assert_eq!(documents.ready(&info(0, "a")), 1);
        assert_eq!(documents.committed(0, "a", "u"), 1);
        assert_eq!(documents.frame(0).map(|frame| frame.readiness.clone()), Some(Readiness::Ready));
    }

    #[test]
    fn a_top_navigation_forgets_the_child_frames() {
        let mut documents = Documents::default();
        documents.ready(&info(0, "a"));
        documents.ready(&FrameInfo { parent: 0, place: 2, ..info(7, "child") });
        assert_eq!(documents.configure(&Configure::default(), 7).frame[0].index, 2);
        documents.committed(0, "b", "u");
        assert!(documents.frame(7).is_none());
    }

    #[test]
    fn asks_of_a_left_document_fail() {
        let mut documents = Documents::default();
        documents.ready(&info(0, "a"));
        let (answer, mut waiting) = oneshot::channel();
        documents.asks.insert(1, PendingAsk { document: "a".into(), answer });
        documents.ready(&info(0, "b"));
        documents.drop_stale_asks();
        assert_eq!(waiting.try_recv().unwrap().unwrap_err().code, ErrorCode::Gone);
    }
}
