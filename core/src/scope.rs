//! The nearest labelled region, and what stands beside an element.
