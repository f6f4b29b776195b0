//! Text as people read it: normal forms, words, likeness.
