//! The routes of the demo application.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};

use super::state::Desk;
use super::{Account, Booking, Build, Happening, assets, catalogue};

/// A policy under which no WASM compiles, nothing inline runs and no string becomes code.
const STRICT_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
     img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; \
     require-trusted-types-for 'script'; trusted-types 'none'";

/// The desk, shared by every request.
pub type SharedDesk = Arc<Mutex<Desk>>;

/// Locks the desk. A request that panicked left nothing half done that matters here.
pub fn lock(desk: &SharedDesk) -> MutexGuard<'_, Desk> {
    desk.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The whole application.
pub fn router(desk: SharedDesk) -> Router {
    Router::new()
        .route("/assets/{*path}", get(asset))
        .route("/terms/{number}", get(terms_page))
        .route("/api/sign-in", post(sign_in))
        .route("/api/equipment", get(find_equipment))
        .route("/api/equipment/{id}", get(one_item))
        .route("/api/bookings", get(list_bookings).post(book))
        .route("/api/bookings/{number}", get(one_booking))
        .route("/api/bookings/{number}/terms", post(accept_terms))
        .route("/api/discard", post(discard))
        .route("/api/events", post(note))
        .route("/state", get(state))
        .route("/deploy", post(deploy))
        .route("/reset", post(reset))
        .fallback(get(application_page))
        .with_state(desk)
}

/// An error that the application shows to people.
struct Refusal(StatusCode, &'static str);

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        (self.0, Json(json!({ "error": self.1 }))).into_response()
    }
}

const SIGNED_OUT: Refusal = Refusal(StatusCode::UNAUTHORIZED, "Sign in first.");
const NO_SUCH_ITEM: Refusal = Refusal(StatusCode::NOT_FOUND, "The desk has no such thing.");
const NO_SUCH_BOOKING: Refusal = Refusal(StatusCode::NOT_FOUND, "There is no such booking.");

fn demand_session(desk: &SharedDesk, headers: &HeaderMap) -> Result<(), Refusal> {
    let given = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let token = given.and_then(|value| value.strip_prefix("Bearer ")).ok_or(SIGNED_OUT)?;
    if lock(desk).sessions.contains(token) { Ok(()) } else { Err(SIGNED_OUT) }
}

async fn asset(Path(path): Path<String>) -> Response {
    match assets::find(&path) {
        Some(found) => text(found),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

fn text(asset: assets::Asset) -> Response {
    let headers = [(header::CONTENT_TYPE, asset.media_type()), (header::CACHE_CONTROL, "no-store")];
    (headers, asset.text).into_response()
}

async fn application_page(State(desk): State<SharedDesk>) -> Response {
    let build = lock(&desk).view.build;
    assets::page(build, "index.html").map_or_else(|| StatusCode::NOT_FOUND.into_response(), text)
}

async fn terms_page(State(desk): State<SharedDesk>) -> Response {
    let build = lock(&desk).view.build;
    let Some(page) = assets::page(build, "terms.html") else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let mut response = text(page);
    response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(STRICT_POLICY));
    response
}

#[derive(Deserialize)]
struct Credentials {
    email: String,
    password: String,
}

async fn sign_in(
    State(desk): State<SharedDesk>,
    Json(given): Json<Credentials>,
) -> Result<Json<Value>, Refusal> {
    if given.email != Account::EMAIL || given.password != Account::PASSWORD {
        return Err(Refusal(StatusCode::UNAUTHORIZED, "Email and password do not belong together."));
    }
    let token = ulid::Ulid::generate().to_string();
    let mut desk = lock(&desk);
    desk.sessions.insert(token.clone());
    desk.note(Happening::new("sign-in", given.email));
    Ok(Json(json!({ "token": token, "name": Account::NAME })))
}

#[derive(Deserialize)]
struct Search {
    #[serde(default)]
    q: String,
    #[serde(default)]
    page: usize,
}

async fn find_equipment(
    State(desk): State<SharedDesk>,
    headers: HeaderMap,
    Query(search): Query<Search>,
) -> Result<Json<catalogue::ItemPage>, Refusal> {
    demand_session(&desk, &headers)?;
    Ok(Json(catalogue::search(&search.q, search.page)))
}

async fn one_item(
    State(desk): State<SharedDesk>,
    headers: HeaderMap,
    Path(id): Path<String>,
) -> Result<Json<catalogue::Item>, Refusal> {
    demand_session(&desk, &headers)?;
    catalogue::find(&id).map(Json).ok_or(NO_SUCH_ITEM)
}

async fn list_bookings(
    State(desk): State<SharedDesk>,
    headers: HeaderMap,
) -> Result<Json<Vec<Booking>>, Refusal> {
    demand_session(&desk, &headers)?;
    Ok(Json(lock(&desk).view.bookings.clone()))
}

#[derive(Deserialize)]
struct Wish {
    equipment: String,
    department: String,
    day: String,
    technician: bool,
    note: String,
}

async fn book(
    State(desk): State<SharedDesk>,
    headers: HeaderMap,
    Json(wish): Json<Wish>,
) -> Result<Json<Booking>, Refusal> {
    demand_session(&desk, &headers)?;
    let item = catalogue::find(&wish.equipment).ok_or(NO_SUCH_ITEM)?;
    if !item.available {
        return Err(Refusal(StatusCode::CONFLICT, "It is on loan."));
    }
    let booking = Booking {
        number: 0,
        equipment: item.name,
        department: wish.department,
        day: wish.day,
        technician: wish.technician,
        note: wish.note,
        accepted: false,
    };
    Ok(Json(lock(&desk).book(booking)))
}

async fn one_booking(
    State(desk): State<SharedDesk>,
    headers: HeaderMap,
    Path(number): Path<u32>,
) -> Result<Json<Booking>, Refusal> {
    demand_session(&desk, &headers)?;
    let found = lock(&desk).view.bookings.iter().find(|booking| booking.number == number).cloned();
    found.map(Json).ok_or(NO_SUCH_BOOKING)
}

async fn accept_terms(
    State(desk): State<SharedDesk>,
    headers: HeaderMap,
    Path(number): Path<u32>,
) -> Result<Json<Booking>, Refusal> {
    demand_session(&desk, &headers)?;
    lock(&desk).accept(number).map(Json).ok_or(NO_SUCH_BOOKING)
}

#[derive(Deserialize)]
struct Discarded {
    equipment: String,
}

async fn discard(
    State(desk): State<SharedDesk>,
    headers: HeaderMap,
    Json(given): Json<Discarded>,
) -> Result<Json<Value>, Refusal> {
    demand_session(&desk, &headers)?;
    let item = catalogue::find(&given.equipment).ok_or(NO_SUCH_ITEM)?;
    let mut desk = lock(&desk);
    desk.note(Happening::new("discard", &item.name));
    desk.view.discarded.push(item.name);
    Ok(Json(json!({ "discarded": true })))
}

async fn note(State(desk): State<SharedDesk>, Json(happening): Json<Happening>) -> Json<Value> {
    // A page can only say what was pressed; what the server did stands in the journal by the server's own word.
    let mut desk = lock(&desk);
    desk.note(Happening { kind: "click".to_owned(), ..happening });
    Json(json!({}))
}

async fn state(State(desk): State<SharedDesk>) -> Response {
    Json(&lock(&desk).view).into_response()
}

#[derive(Deserialize)]
struct Deploy {
    build: Build,
}

async fn deploy(State(desk): State<SharedDesk>, Json(wanted): Json<Deploy>) -> Json<Value> {
    lock(&desk).view.build = wanted.build;
    Json(json!({ "build": wanted.build }))
}

async fn reset(State(desk): State<SharedDesk>) -> Json<Value> {
    lock(&desk).reset();
    Json(json!({}))
}
