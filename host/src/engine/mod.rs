//! Records and replays. Events out, no printing.
