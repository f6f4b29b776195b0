//! Roles over a snapshot, by HTML-AAM and WAI-ARIA.
