//! Filters every string that leaves the page.
