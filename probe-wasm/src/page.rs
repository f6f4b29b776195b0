//! Owns eyes, hands and watch of one frame and answers the wire.
