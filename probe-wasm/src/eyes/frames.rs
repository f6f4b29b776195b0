//! The frames that a document holds, as it sees them: the host puts what their own probes list in their place.

use cairn_core::candidate::{self, Lister};
use cairn_core::element::Rect;
use cairn_core::snapshot::{NodeId, sym};
use cairn_core::wire::page::{Cover, HeldFrame};

use super::View;
use super::collector;

impl View {
    /// The frames of the document. `listed` are the nodes of a listing, in document order.
    pub(super) fn held_frames(&self, listed: &[NodeId]) -> Vec<HeldFrame> {
        let page = self.page();
        let snapshot = self.snapshot();
        if page.frames.is_empty() || page.reading.is_none() {
            return Vec::new();
        }
        let places: Vec<u32> = page.frames.iter().map(|id| snapshot.node(*id).place).collect();
        let Ok(numbers) = collector::frames(&places) else { return Vec::new() };
        let lister = Lister::new(snapshot, self.options());
        let mut numbers = Numbers(numbers.into_iter());
        let mut held = Vec::new();
        for id in &page.frames {
            let place = numbers.next();
            let matrix: Vec<f64> = (0..6).map(|_| numbers.next()).collect();
            let (shown, near) = (numbers.rect(), numbers.rect());
            let covers = (0..numbers.next() as u32).map(|_| self.cover(&mut numbers)).collect();
            // An object that shows no document, a frame that is on its way out.
            if place < 0.0 {
                continue;
            }
            held.push(HeldFrame {
                place: place as u32,
                name: snapshot.attribute(*id, sym::NAME).unwrap_or_default().to_owned(),
                before: listed.partition_point(|node| node < id) as u32,
                matrix,
                shown,
                near,
                usable: lister.usable(*id),
                aria_hidden: snapshot.is_aria_hidden(*id),
                covers,
            });
        }
        held
    }

    fn cover(&self, numbers: &mut Numbers) -> Cover {
        let bounds = numbers.rect();
        let place = numbers.next();
        let node = (place >= 0.0).then(|| self.snapshot().by_place(place as u32)).flatten();
        let by =
            node.map_or_else(|| "something".to_owned(), |node| candidate::describe(self.snapshot(), node));
        Cover { bounds, by }
    }
}

/// The reader's answer, number by number; 0 where it ends too soon.
struct Numbers(std::vec::IntoIter<f64>);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0.next().unwrap_or_default()
    }

    fn rect(&mut self) -> Rect {
        Rect { x: self.next(), y: self.next(), width: self.next(), height: self.next() }
    }
}
