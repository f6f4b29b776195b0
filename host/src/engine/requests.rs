//! What a page's requests tell of an act.

/// True of a request that changes something at the server.
pub(super) fn changes_state(method: &str) -> bool {
    matches!(method, "POST" | "PUT" | "PATCH" | "DELETE")
}

/// True of a request that only reports what happens in the page, whatever its method; `kind`: the browser's word for it.
pub(super) fn only_reports(kind: &str) -> bool {
    matches!(kind, "ping" | "beacon" | "csp_report")
}
