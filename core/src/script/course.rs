//! The way of a drag that ends on nothing that has a name: where in its target it begins, and the corners of its way, each
//! by how far it is from there. `0.250 0.500, +40 -60, +80 +0`; one that begins in the middle says no place.

/// So many corners are kept of a way that was drawn.
const MOST: usize = 80;

/// A corner that lies this near to the straight way, in CSS pixels, says nothing.
const NEAR: i32 = 2;

/// How far each corner is from where the drag begins, in CSS pixels to the right and down.
pub fn corners(text: &str) -> Vec<(i32, i32)> {
    let signed = |part: &&str| part.starts_with(['+', '-']);
    text.split(',').map(str::trim).filter(signed).filter_map(corner).collect()
}

/// The corners of a drawn way; none where it goes straight to its end.
pub fn way(text: &str) -> Vec<(i32, i32)> {
    Some(corners(text)).filter(|corners| corners.len() > 1).unwrap_or_default()
}

/// Where in its target the drag begins, as shares of the box in the words of the script; `None`: in the middle.
pub fn start(text: &str) -> Option<&str> {
    let (start, _) = text.split_once(',')?;
    Some(start.trim()).filter(|start| !start.starts_with(['+', '-']))
}

fn corner(text: &str) -> Option<(i32, i32)> {
    let (right, down) = text.split_once(' ')?;
    Some((whole(right)?, whole(down.trim())?))
}

fn whole(text: &str) -> Option<i32> {
    text.split('.').next()?.parse().ok()
}

/// The way as a script has it; `start`: thousandths of the target's width and height.
pub fn write(start: Option<(u16, u16)>, corners: &[(i32, i32)]) -> String {
    let mut parts: Vec<String> =
        start.map(|(across, down)| share(across) + " " + &share(down)).into_iter().collect();
    parts.extend(corners.iter().map(|(right, down)| format!("{right:+} {down:+}")));
    parts.join(", ")
}

/// A share of a box, told in thousandths, as a script has it.
pub fn share(thousandths: u16) -> String {
    format!("{}.{:03}", thousandths / 1000, thousandths % 1000)
}

/// The corners that a way cannot do without.
pub fn thin(way: &[(i32, i32)]) -> Vec<(i32, i32)> {
    let mut near = NEAR;
    loop {
        let mut kept = Vec::new();
        keep(way, near, &mut kept);
        kept.extend(way.last());
        if kept.len() <= MOST {
            return kept;
        }
        near *= 2;
    }
}

/// All corners but the last: where the way bends most between two of them, it is told in two parts.
fn keep(way: &[(i32, i32)], near: i32, kept: &mut Vec<(i32, i32)>) {
    let [from, between @ .., to] = way else { return };
    let bend = between.iter().enumerate().map(|(place, at)| (off(*at, *from, *to), place + 1));
    match bend.max().filter(|(off, _)| *off > i64::from(near)) {
        Some((_, place)) => {
            keep(&way[..=place], near, kept);
            keep(&way[place..], near, kept);
        }
        None => kept.push(*from),
    }
}

/// How far a point is from the straight way between two others, in whole pixels.
fn off(at: (i32, i32), from: (i32, i32), to: (i32, i32)) -> i64 {
    let vector = |a: (i32, i32), b: (i32, i32)| (i64::from(b.0 - a.0), i64::from(b.1 - a.1));
    let ((x, y), (px, py)) = (vector(from, to), vector(from, at));
    let length = x * x + y * y;
    let along = px * x + py * y;
    if length == 0 || along < 0 || along > length {
        let (qx, qy) = vector(to, at);
        return (px * px + py * py).min(qx * qx + qy * qy).isqrt();
    }
    (px * y - py * x).abs() / length.isqrt().max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_way_is_read_as_it_is_written() {
        let way = [(40, -60), (80, 0)];
        let text = write(Some((250, 500)), &way);
        assert_eq!(text, "0.250 0.500, +40 -60, +80 +0");
        assert_eq!((start(&text), corners(&text)), (Some("0.250 0.500"), way.to_vec()));
        assert_eq!((start("+84 +0"), corners("+84 +0")), (None, vec![(84, 0)]));
        assert_eq!((start("0.750 0.500"), corners("0.750 0.500")), (None, vec![]));
        assert_eq!((super::way(&text), super::way("+84 +0")), (way.to_vec(), vec![]));
        assert_eq!(corners("+1.5 -2.9, nonsense, +3"), [(1, -2)]);
    }

    #[test]
    fn what_is_drawn_keeps_its_corners_and_loses_the_rest() {
        let straight: Vec<(i32, i32)> = (0..50).map(|x| (x * 3, x % 2)).collect();
        assert_eq!(thin(&straight), [(0, 0), (147, 1)]);
        let there: Vec<(i32, i32)> = (0..=50).map(|x| (x, 0)).chain((0..50).rev().map(|x| (x, 0))).collect();
        assert_eq!(thin(&there), [(0, 0), (50, 0), (0, 0)]);
        let zigzag: Vec<(i32, i32)> = (0..500).map(|x: i32| (x, (x % 10 - 5).abs() * 4)).collect();
        assert!(thin(&zigzag).len() <= MOST);
        assert_eq!(thin(&[(3, 4)]), [(3, 4)]);
        assert_eq!(thin(&[]), []);
    }
}
