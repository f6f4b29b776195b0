//! Waits for causes: mutation, navigation, a stable box; never a fixed sleep.
