//! One list over every frame and every shadow root, each element where it stands in the top page, and acts by ref in all of them.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::Path;
use axum::response::Html;
use axum::routing::get;
use cairn_tests::{Cairn, Pages};
use serde_json::{Value, json};

use super::agent::{Agent, reference};

/// `PORT` is the server's. Other names of loopback are other sites, each with a process of its own.
const TOP: &str = r#"<!doctype html><title>Frames</title>
<style>body{margin:0} iframe{position:absolute;width:200px;height:60px;border:0;padding:0} #hide{display:none}</style>
<button style="position:absolute;left:0;top:0">Top</button>
<iframe src="/part/same" name="own" style="left:100px;top:40px;border:4px solid;padding:6px"></iframe>
<div style="position:absolute;left:0;top:140px;transform:scale(.5);transform-origin:0 0"><iframe src="http://localhost:PORT/outer" style="left:0;top:0;width:400px;height:200px"></iframe></div>
<iframe srcdoc="<style>body{margin:0}</style><button onclick='this.textContent=`done srcdoc`'>srcdoc</button>" style="left:300px;top:40px"></iframe>
<iframe id="blank" style="left:520px;top:40px"></iframe>
<iframe sandbox="allow-scripts" src="/part/boxed" style="left:740px;top:40px"></iframe>
<div id="host" style="position:absolute;left:0;top:300px"></div>
<iframe src="http://hang.localhost:PORT/hang" title="Stuck" name="stuck" style="left:300px;top:300px"></iframe>
<iframe src="/part/covered" style="left:520px;top:300px"></iframe><div id="cover" style="position:absolute;left:500px;top:290px;width:300px;height:100px;background:red"></div>
<iframe src="/half" style="left:0;top:400px"></iframe><p style="position:absolute;left:0;top:430px;width:300px;height:60px;margin:0;background:red">Banner</p>
<div inert><iframe src="/part/inert" style="left:300px;top:400px"></iframe></div>
<iframe id="hide" src="/part/hidden"></iframe>
<div aria-hidden="true"><iframe src="/part/untold" style="left:520px;top:400px"></iframe></div>
<iframe src="/part/below" style="left:0;top:5000px"></iframe>
<button style="position:absolute;left:0;top:500px">Last</button>
<script>
  const write = (html) => `<style>body{margin:0}</style><button onclick="this.textContent='done ${html}'">${html}</button>`;
  blank.contentDocument.body.innerHTML = write('blank');
  const closed = host.attachShadow({mode: 'closed'});
  closed.innerHTML = `<iframe src="/closed" style="position:absolute;left:0;top:0;width:200px;height:60px;border:0"></iframe>`;
  const doomed = document.createElement('iframe');
  doomed.src = '/part/doomed';
  document.body.append(doomed);
  doomed.onload = () => { doomed.remove(); setTimeout(() => {
    const late = document.createElement('iframe');
    late.src = 'http://late.localhost:PORT/part/late';
    late.style = 'left:740px;top:300px';
    document.body.append(late);
  }, 200); };
</script>"#;

const OUTER: &str = r#"<!doctype html><style>body{margin:0}</style><button onclick="this.textContent='done outer'">outer</button>
<iframe src="http://127.0.0.1:PORT/part/nested" style="position:absolute;left:20px;top:100px;border:0;width:300px;height:80px"></iframe>"#;

const HALF: &str = r#"<!doctype html><style>body{margin:0}button{position:absolute;height:20px}</style>
<button style="top:0" onclick="this.textContent='done high'">high</button><button style="top:40px">low</button>"#;

/// A button in a closed root, in a frame that lies in a closed root.
const CLOSED: &str = r#"<!doctype html><style>body{margin:0}</style><x-card></x-card><script>
  document.querySelector('x-card').attachShadow({mode: 'closed'}).innerHTML =
    `<button onclick="this.textContent='done closed'">closed</button>`;
</script>"#;

const HANG: &str =
    "<!doctype html><button>hung</button><script>addEventListener('load', () => { for (;;); });</script>";

fn part(name: &str) -> String {
    format!(
        "<!doctype html><style>body{{margin:0}}</style><button onclick=\"this.textContent='done {name}'\">{name}</button>"
    )
}

async fn site() -> Pages {
    let page = |text: &'static str| {
        move |headers: axum::http::HeaderMap| async move {
            let host = headers.get("host").and_then(|host| host.to_str().ok()).unwrap_or_default();
            Html(text.replace("PORT", host.rsplit(':').next().unwrap_or_default()))
        }
    };
    let router = Router::new()
        .route("/top", get(page(TOP)))
        .route("/outer", get(page(OUTER)))
        .route("/half", get(page(HALF)))
        .route("/closed", get(page(CLOSED)))
        .route("/hang", get(page(HANG)))
        .route("/part/{name}", get(|Path(name): Path<String>| async move { Html(part(&name)) }));
    Pages::serve_router(router).await.unwrap()
}

fn places(frame: &Value) -> Vec<u64> {
    frame.as_array().unwrap().iter().map(|step| step["Index"].as_u64().unwrap()).collect()
}

/// Name -> (box's corner, frame path).
fn corners(result: &Value) -> BTreeMap<String, (Value, Vec<u64>)> {
    let elements = result["elements"].as_array().unwrap().iter();
    let corner = |one: &Value| json!([one["box"][0], one["box"][1]]);
    elements
        .map(|one| (one["name"].as_str().unwrap().to_owned(), (corner(one), places(&one["frame"]))))
        .collect()
}

#[tokio::test]
async fn every_frame_and_root_is_in_one_list_and_a_hanging_one_costs_its_own_part() {
    let folder = tempfile::tempdir().unwrap();
    let cairn = Cairn::in_folder(folder.path()).unwrap();
    let site = site().await;
    let url = site.url("top");
    let began = Instant::now();
    let said = cairn.run(&["probe", &url, "--json"]).await.unwrap();
    assert_eq!(said.code, 0, "{}", said.errors);
    assert!(began.elapsed() < Duration::from_secs(25), "{:?}", began.elapsed());
    let result = said.whole().unwrap();
    let names: Vec<&str> =
        result["elements"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(
        names,
        [
            "Top", "same", "outer", "nested", "srcdoc", "blank", "boxed", "closed", "high", "untold", "Last",
            "late"
        ]
    );
    let indexes: Vec<u64> =
        result["elements"].as_array().unwrap().iter().map(|one| one["index"].as_u64().unwrap()).collect();
    assert_eq!(indexes, (0..12).collect::<Vec<_>>());
    let corners = corners(&result);
    // Border and padding, half a scale, a frame in a frame.
    for (name, corner, depth) in [
        ("same", [110.0, 50.0], 1),
        ("outer", [0.0, 140.0], 1),
        ("nested", [10.0, 190.0], 2),
        ("srcdoc", [300.0, 40.0], 1),
        ("blank", [520.0, 40.0], 1),
        ("boxed", [740.0, 40.0], 1),
        ("closed", [0.0, 300.0], 1),
        ("late", [740.0, 300.0], 1),
        ("Last", [0.0, 500.0], 0),
    ] {
        assert_eq!(corners[name].0, json!(corner), "{name}");
        assert_eq!(corners[name].1.len(), depth, "{name}");
    }
    let own = result["elements"].as_array().unwrap().iter().find(|one| one["name"] == "same").unwrap();
    assert_eq!(own["frame"][0]["Name"], "own");
    let untold = result["elements"].as_array().unwrap().iter().find(|one| one["name"] == "untold").unwrap();
    assert_eq!(untold["states"]["ariaHidden"], true);
    let missing = result["missing"].as_array().unwrap();
    assert_eq!(missing.len(), 1, "{missing:?}");
    assert_eq!(missing[0]["frame"][0]["Name"], "stuck");

    let mut agent = Agent::start(&cairn, &["mcp"]).await;
    let first = agent.call("browser_navigate", json!({"url": url})).await;
    assert!(first.contains("not read: what is in frame"), "{first}");
    let page = agent.call("browser_snapshot", json!({})).await;
    for name in ["same", "outer", "nested", "srcdoc", "blank", "boxed", "closed", "high", "untold", "late"] {
        let line = format!("button \"{name}\"");
        let after = agent.call("browser_click", json!({"ref": reference(&page, &line)})).await;
        assert!(after.contains(&format!("button \"done {name}\"")), "{name}: {after}");
    }
    let below = agent.call("browser_snapshot", json!({"all": true})).await;
    agent.call("browser_click", json!({"ref": reference(&below, "button \"below\"")})).await;
    let below = agent.call("browser_snapshot", json!({"all": true})).await;
    assert!(below.contains("button \"done below\""), "{below}");
    agent.call("browser_close", json!({})).await;
}

#[tokio::test]
async fn what_is_hidden_with_its_frame_is_listed_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let cairn = Cairn::in_folder(folder.path()).unwrap();
    let site = site().await;
    let said = cairn.run(&["probe", &site.url("top"), "--json", "--hidden"]).await.unwrap();
    let result = said.whole().unwrap();
    let why: BTreeMap<&str, &str> = result["elements"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|one| Some((one["name"].as_str()?, one["unusable"].as_str()?)))
        .collect();
    assert_eq!(why["covered"], "covered by <div id=\"cover\">");
    assert_eq!(why["low"], "covered by <p>");
    assert_eq!(why["inert"], "inert");
    let text = cairn.run(&["probe", &site.url("top"), "--budget", "300"]).await.unwrap();
    assert!(text.lines.join("\n").len() <= 300, "{text:?}");
    assert!(text.lines.last().unwrap().contains("of 12 left out"), "{text:?}");
    assert!(text.errors.contains("not listed: what is in frame"), "{text:?}");
}
