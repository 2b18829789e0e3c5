//! The server of the live page: the page itself, and a WebSocket to each viewer, over which frames and status go out
//! and wishes come in. It runs in threads of its own and can never delay the loop.

mod access;
mod message;
mod run;
mod wire;

use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::ws::{Message, Utf8Bytes, WebSocket, WebSocketUpgrade};
use axum::extract::{Path, Query, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use serde::Deserialize;
use serde_json::json;
use tokio::sync::{broadcast, watch};

pub use access::Access;
use message::{Asked, LONGEST, Said};
pub use run::{Card, Outlets, Title};
use run::{Run, Sent, locked};

use crate::driver::Command;
use crate::session::Session;
use crate::status::Status;
use rtrb::Producer;

/// Most viewers at a time.
const MOST_VIEWERS: usize = 64;

/// Time after which a viewer that takes nothing is left [s].
const PATIENCE: Duration = Duration::from_secs(10);

/// A scene of the gallery.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Listed {
    /// Its name.
    pub name: String,
    /// What it shows.
    pub title: String,
    /// A small picture of it, as WebP, at `/pictures/NAME`.
    #[serde(serialize_with = "is_there")]
    pub picture: Option<&'static [u8]>,
}

/// Whether there is a picture, in place of its bytes.
fn is_there<S: serde::Serializer>(picture: &Option<&'static [u8]>, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_bool(picture.is_some())
}

/// A file made of the run so far, by name.
pub type Render = dyn Fn(&str) -> Result<Vec<u8>, String> + Send + Sync;

/// What the server is made of.
pub struct Offer {
    /// The page.
    pub page: &'static str,
    /// Scenes that can be chosen in it.
    pub scenes: Vec<Listed>,
    /// Who may talk to it.
    pub access: Access,
    /// Makes files of the run so far.
    pub render: Box<Render>,
}

/// The server, shared by its tasks.
struct Hub {
    offer: Offer,
    run: Mutex<Option<Arc<Run>>>,
    frames: watch::Sender<Sent>,
    notes: broadcast::Sender<Utf8Bytes>,
    viewers: AtomicUsize,
    next: AtomicU64,
    paused: std::sync::atomic::AtomicBool,
    wanted: Mutex<Option<Wanted>>,
    asked: Condvar,
}

/// A scene that a viewer wants.
#[derive(Clone, Debug, PartialEq)]
pub struct Wanted {
    /// Its name in the gallery.
    pub scene: String,
    /// The model for its rods.
    pub model: Option<String>,
}

/// The server.
pub struct Server {
    hub: Arc<Hub>,
    /// Where it listens.
    pub address: SocketAddr,
}

impl Server {
    /// Listen at an address, in threads of its own.
    pub fn start(address: SocketAddr, offer: Offer) -> io::Result<Server> {
        let listener = std::net::TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let hub = Arc::new(Hub {
            offer,
            run: Mutex::default(),
            frames: watch::Sender::default(),
            notes: broadcast::Sender::new(64),
            viewers: AtomicUsize::new(0),
            next: AtomicU64::new(1),
            paused: false.into(),
            wanted: Mutex::default(),
            asked: Condvar::new(),
        });
        let app = Router::new()
            .route("/", get(page))
            .route("/scenes", get(scenes))
            .route("/pictures/{name}", get(picture))
            .route("/report.html", get(report))
            .route("/recording.mcap", get(recording))
            .route("/controls.jsonl", get(controls))
            .route("/socket", get(socket))
            .with_state(hub.clone());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        thread::Builder::new().name("pliant page".into()).spawn(move || {
            runtime.block_on(async {
                if let Ok(listener) = tokio::net::TcpListener::from_std(listener) {
                    // ends with the process
                    let _ = axum::serve(listener, app).await;
                }
            });
        })?;
        Ok(Server { hub, address })
    }

    /// What viewers will be told of a session that is about to begin.
    pub fn card(&self, session: &Session, title: &Title) -> Card {
        Card::new(session, title, self.hub.next.fetch_add(1, Ordering::Relaxed) as u32)
    }

    /// Show a run that has begun: pass on its frames and notes until it ends, in a thread of its own.
    pub fn show(
        &self,
        card: Card,
        status: Arc<Status>,
        commands: Producer<Command>,
        outlets: Outlets,
    ) -> io::Result<thread::JoinHandle<()>> {
        let run = Arc::new(Run::new(card, status, commands));
        *locked(&self.hub.run) = Some(run.clone());
        self.hub.paused.store(false, Ordering::Relaxed);
        let hub = self.hub.clone();
        thread::Builder::new().name("pliant frames".into()).spawn(move || run.publish(outlets, &hub.frames, &hub.notes))
    }

    /// Wait for a viewer to want another scene, for a time.
    pub fn wanted(&self, time: Duration) -> Option<Wanted> {
        let wanted = locked(&self.hub.wanted);
        let (mut wanted, _) = self
            .hub
            .asked
            .wait_timeout_while(wanted, time, |wanted| wanted.is_none())
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        wanted.take()
    }

    /// Tell all viewers why something they wanted cannot be.
    pub fn refuse(&self, why: &str) {
        let _ = self.hub.notes.send(json!({ "type": "refused", "why": why }).to_string().into());
    }
}

#[derive(Deserialize)]
struct Key {
    token: Option<String>,
}

/// The answer to a request that may not be made.
const FORBIDDEN: (StatusCode, &str) = (
    StatusCode::FORBIDDEN,
    "This page is served to its own address only, and from elsewhere with the token that was printed.\n",
);

async fn page(State(hub): State<Arc<Hub>>, Query(asked): Query<Key>, headers: HeaderMap) -> Response {
    if !hub.offer.access.allows(&headers, asked.token.as_deref()) {
        return FORBIDDEN.into_response();
    }
    if hub.offer.page.is_empty() {
        return (StatusCode::NOT_FOUND, "This build has no page: Node was missing when it was made.\n").into_response();
    }
    Html(hub.offer.page).into_response()
}

async fn scenes(State(hub): State<Arc<Hub>>, Query(asked): Query<Key>, headers: HeaderMap) -> Response {
    if !hub.offer.access.allows(&headers, asked.token.as_deref()) {
        return FORBIDDEN.into_response();
    }
    axum::Json(json!({ "scenes": hub.offer.scenes })).into_response()
}

async fn picture(
    State(hub): State<Arc<Hub>>,
    Path(name): Path<String>,
    Query(asked): Query<Key>,
    headers: HeaderMap,
) -> Response {
    if !hub.offer.access.allows(&headers, asked.token.as_deref()) {
        return FORBIDDEN.into_response();
    }
    let scene = hub.offer.scenes.iter().find(|scene| scene.name == name);
    match scene.and_then(|scene| scene.picture) {
        Some(bytes) => ([(CONTENT_TYPE, "image/webp"), (CACHE_CONTROL, "max-age=3600")], bytes).into_response(),
        None => (StatusCode::NOT_FOUND, "There is no picture of that name.\n").into_response(),
    }
}

async fn report(state: State<Arc<Hub>>, asked: Query<Key>, headers: HeaderMap) -> Response {
    file(state, asked, headers, "report.html", "text/html; charset=utf-8").await
}

async fn recording(state: State<Arc<Hub>>, asked: Query<Key>, headers: HeaderMap) -> Response {
    file(state, asked, headers, "recording.mcap", "application/octet-stream").await
}

async fn controls(state: State<Arc<Hub>>, asked: Query<Key>, headers: HeaderMap) -> Response {
    file(state, asked, headers, "controls.jsonl", "application/jsonl").await
}

async fn file(
    State(hub): State<Arc<Hub>>,
    Query(asked): Query<Key>,
    headers: HeaderMap,
    name: &'static str,
    kind: &'static str,
) -> Response {
    if !hub.offer.access.allows(&headers, asked.token.as_deref()) {
        return FORBIDDEN.into_response();
    }
    match tokio::task::spawn_blocking(move || (hub.offer.render)(name)).await {
        Ok(Ok(bytes)) => ([(CONTENT_TYPE, kind)], bytes).into_response(),
        Ok(Err(why)) => (StatusCode::NOT_FOUND, format!("{why}\n")).into_response(),
        Err(_) => (StatusCode::INTERNAL_SERVER_ERROR, "the file could not be made\n").into_response(),
    }
}

async fn socket(
    State(hub): State<Arc<Hub>>,
    Query(asked): Query<Key>,
    headers: HeaderMap,
    upgrade: WebSocketUpgrade,
) -> Response {
    if !hub.offer.access.allows(&headers, asked.token.as_deref()) {
        return FORBIDDEN.into_response();
    }
    if hub.viewers.load(Ordering::Relaxed) >= MOST_VIEWERS {
        return (StatusCode::SERVICE_UNAVAILABLE, "too many viewers\n").into_response();
    }
    upgrade.max_message_size(LONGEST).max_frame_size(LONGEST).on_upgrade(move |socket| attend(hub, socket))
}

/// Serve a viewer until it goes.
async fn attend(hub: Arc<Hub>, mut socket: WebSocket) {
    hub.viewers.fetch_add(1, Ordering::Relaxed);
    let viewer = hub.next.fetch_add(1, Ordering::Relaxed);
    // ends when the viewer goes, whichever way it does
    let _ = converse(&hub, viewer, &mut socket).await;
    let run = locked(&hub.run).clone();
    if let Some(run) = run {
        run.leave(viewer);
    }
    hub.viewers.fetch_sub(1, Ordering::Relaxed);
}

/// The viewer has gone, or does not listen.
struct Left;

async fn send(socket: &mut WebSocket, message: Message) -> Result<(), Left> {
    match tokio::time::timeout(PATIENCE, socket.send(message)).await {
        Ok(Ok(())) => Ok(()),
        _ => Err(Left),
    }
}

async fn converse(hub: &Hub, viewer: u64, socket: &mut WebSocket) -> Result<(), Left> {
    let (mut frames, mut notes) = (hub.frames.subscribe(), hub.notes.subscribe());
    let mut beat = tokio::time::interval(Duration::from_millis(200));
    beat.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let mut greeted = None;
    loop {
        tokio::select! {
            message = socket.recv() => match message {
                Some(Ok(Message::Text(text))) => {
                    if let Some(answer) = hear(hub, viewer, &text) {
                        send(socket, Message::Text(answer.into())).await?;
                    }
                }
                Some(Ok(Message::Binary(_))) => count_dropped(hub),
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                Some(Ok(Message::Close(_))) | None => return Err(Left),
                Some(Err(_)) => {
                    count_dropped(hub);
                    return Err(Left);
                }
            },
            changed = frames.changed() => {
                changed.map_err(|_| Left)?;
                let (revision, bytes) = frames.borrow_and_update().clone();
                greet(hub, socket, viewer, &mut greeted).await?;
                if greeted == Some(revision) {
                    send(socket, Message::Binary(Bytes::from_owner(Whole(bytes)))).await?;
                }
            }
            note = notes.recv() => {
                // a viewer that is too slow misses some
                if let Ok(note) = note {
                    send(socket, Message::Text(note)).await?;
                }
            }
            _ = beat.tick() => {
                greet(hub, socket, viewer, &mut greeted).await?;
                let run = locked(&hub.run).clone();
                if let Some(run) = run {
                    let (paused, viewers) = (hub.paused.load(Ordering::Relaxed), hub.viewers.load(Ordering::Relaxed));
                    send(socket, Message::Text(run.told(paused, viewers).to_string().into())).await?;
                }
            }
        }
    }
}

/// Bytes of a frame that all viewers share.
struct Whole(Arc<Vec<u8>>);

impl AsRef<[u8]> for Whole {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

/// Tell a viewer of the run, if it does not know it yet.
async fn greet(hub: &Hub, socket: &mut WebSocket, viewer: u64, greeted: &mut Option<u32>) -> Result<(), Left> {
    let Some(run) = locked(&hub.run).clone() else { return Ok(()) };
    if *greeted == Some(run.revision()) {
        return Ok(());
    }
    *greeted = Some(run.revision());
    for text in run.greeting(viewer) {
        send(socket, Message::Text(text)).await?;
    }
    Ok(())
}

fn count_dropped(hub: &Hub) {
    if let Some(run) = &*locked(&hub.run) {
        run.status.dropped.fetch_add(1, Ordering::Relaxed);
    }
}

/// Do what a viewer says; an answer only if it cannot be done.
fn hear(hub: &Hub, viewer: u64, text: &str) -> Option<String> {
    let Some(asked) = Asked::read(text) else {
        count_dropped(hub);
        return None;
    };
    match &asked {
        Asked::Say(Said::Pause | Said::Step { .. }) => hub.paused.store(true, Ordering::Relaxed),
        Asked::Say(Said::Play) => hub.paused.store(false, Ordering::Relaxed),
        _ => {}
    }
    let run = locked(&hub.run).clone();
    let obeyed = match (asked, run) {
        (Asked::Say(Said::Scene { name, model }), _) => {
            if hub.offer.scenes.iter().any(|scene| scene.name == name) {
                *locked(&hub.wanted) = Some(Wanted { scene: name, model });
                hub.asked.notify_all();
                Ok(())
            } else {
                Err(format!("there is no scene {name}"))
            }
        }
        (asked, Some(run)) => run.obey(viewer, asked),
        (_, None) => Err("nothing runs yet".into()),
    };
    obeyed.err().map(|why| json!({ "type": "refused", "why": why }).to_string())
}
