//! Finds and starts Chromium, and speaks over its debugging pipe.
