//! One frame's DOM as plain data.
