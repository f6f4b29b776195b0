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
struct PendingAsk {
    document: String,
    /// Its frame, to be sent again after a connection.
    text: String,
    /// Who waits for the answer, if anybody does.
    answer: Option<Answerer>,
}

/// Where a question's answer goes.
pub(in crate::daemon) type Answerer = oneshot::Sender<Result<PageAnswer, WireError>>;

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

/// A frame below the top one, as far as it is known.
#[derive(Clone, Debug, PartialEq)]
pub struct ChildFrame {
    /// Number of the document that it shows.
    pub document: u32,
    /// Number of the document around it; `None` for the top page.
    pub parent: Option<u32>,
    /// Its place among the frames of that document when its probe reported.
    pub place: u32,
    /// URL as the browser last said it.
    pub url: String,
    /// Whether its probe can be asked, and if not, why; nothing is known of one that is still awaited.
    pub ready: Result<(), Option<WireError>>,
}

/// Every document of one lease.
#[derive(Default)]
pub(in crate::daemon) struct Documents {
    frames: BTreeMap<i32, Frame>,
    numbers: HashMap<String, u32>,
    order: VecDeque<String>,
    last: u32,
    asks: BTreeMap<u64, PendingAsk>,
    /// Of each document of the browser, the number of the last message that was taken; the latest at the end.
    heard: VecDeque<(String, u64)>,
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

    pub(in crate::daemon) fn children(&self) -> Vec<ChildFrame> {
        let below = self.frames.iter().filter(|(id, frame)| **id != 0 && frame.number != 0);
        below
            .map(|(_, frame)| ChildFrame {
                document: frame.number,
                parent: self.frames.get(&frame.parent).filter(|_| frame.parent != 0).map(|up| up.number),
                place: frame.place,
                url: frame.url.clone(),
                ready: match &frame.readiness {
                    Readiness::Ready => Ok(()),
                    Readiness::Awaited => Err(None),
                    Readiness::Failed(error) => Err(Some(error.clone())),
                },
            })
            .collect()
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

    /// A frame was taken out of its page, with all that was in it.
    pub(in crate::daemon) fn gone(&mut self, frame: i32) {
        let mut gone = vec![frame];
        let mut place = 0;
        while let Some(parent) = gone.get(place).copied() {
            let below = self.frames.iter().filter(|(id, one)| one.parent == parent && !gone.contains(id));
            let below: Vec<i32> = below.map(|(id, _)| *id).collect();
            gone.extend(below);
            place += 1;
        }
        // The top page goes with its tab alone.
        self.frames.retain(|id, _| *id == 0 || !gone.contains(id));
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

    /// A question goes out to a document.
    pub(in crate::daemon) fn ask(&mut self, id: u64, document: &str, text: String, answer: Option<Answerer>) {
        self.asks.insert(id, PendingAsk { document: document.to_owned(), text, answer });
    }

    /// Nobody waits for this answer any more.
    pub(in crate::daemon) fn forget(&mut self, id: u64) {
        self.asks.remove(&id);
    }

    /// The frames of all questions that have no answer, in their order.
    pub(in crate::daemon) fn unanswered(&self) -> Vec<String> {
        self.asks.values().map(|ask| ask.text.clone()).collect()
    }

    /// Has this message of a document not been taken yet? Its messages come in order.
    pub(in crate::daemon) fn is_news(&mut self, document: &str, number: u64) -> bool {
        // A probe that was made anew goes on counting.
        let document = document.split('#').next().unwrap_or_default();
        match self.heard.iter_mut().rev().find(|(known, _)| known == document) {
            Some((_, last)) if number <= *last => return false,
            Some((_, last)) => *last = number,
            None => {
                self.heard.push_back((document.to_owned(), number));
                if self.heard.len() > REMEMBERED_DOCUMENTS {
                    self.heard.pop_front();
                }
            }
        }
        true
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
        // Nobody may wait any more; that is fine.
        if let Some(waiting) = self.asks.remove(&id).and_then(|ask| ask.answer) {
            let _ = waiting.send(answer);
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
        for (_, ask) in std::mem::take(&mut self.asks) {
            if let Some(waiting) = ask.answer {
                let _ = waiting.send(Err(error.clone()));
            }
        }
    }

    fn fail_ask(&mut self, id: u64, error: &WireError) {
        self.answer(id, Err(error.clone()));
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
    fn a_frame_goes_with_what_is_in_it_and_fails_what_it_is_asked() {
        let mut documents = Documents::default();
        documents.ready(&info(0, "a"));
        documents.ready(&FrameInfo { parent: 0, ..info(7, "child") });
        documents.ready(&FrameInfo { parent: 7, ..info(9, "grandchild") });
        documents.ready(&FrameInfo { parent: 0, place: 1, ..info(8, "other") });
        let (answer, mut waiting) = oneshot::channel();
        documents.ask(1, "grandchild", String::new(), Some(answer));
        documents.gone(7);
        documents.drop_stale_asks();
        assert_eq!(waiting.try_recv().unwrap().unwrap_err().code, ErrorCode::Gone);
        let mut left: Vec<i32> = documents.ready_frames().map(|(id, _)| id).collect();
        left.sort_unstable();
        assert_eq!(left, [0, 8]);
    }

    #[test]
    fn what_is_said_again_is_taken_once_and_what_is_not_answered_is_asked_again() {
        let mut documents = Documents::default();
        assert!(documents.is_news("a", 1));
        assert!(documents.is_news("a", 2));
        assert!(!documents.is_news("a", 1), "said again to a worker that began anew");
        assert!(documents.is_news("b", 1));
        assert!(!documents.is_news("a#2", 2), "the second probe of a document goes on counting");
        assert!(documents.is_news("a#2", 3));
        documents.ask(7, "a", "seven".into(), None);
        documents.ask(3, "a", "three".into(), None);
        assert_eq!(documents.unanswered(), ["three", "seven"]);
        documents.answer(3, Ok(PageAnswer::Done));
        assert_eq!(documents.unanswered(), ["seven"]);
    }

    #[test]
    fn asks_of_a_left_document_fail() {
        let mut documents = Documents::default();
        documents.ready(&info(0, "a"));
        let (answer, mut waiting) = oneshot::channel();
        documents.ask(1, "a", String::new(), Some(answer));
        documents.ready(&info(0, "b"));
        documents.drop_stale_asks();
        assert_eq!(waiting.try_recv().unwrap().unwrap_err().code, ErrorCode::Gone);
    }
}
