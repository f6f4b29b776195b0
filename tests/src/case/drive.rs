//! The person does what a case says.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::timeout;

use super::{Answer, Case, CaseStep, Place};
use crate::{Failed, Outcome, Person, Stage, What};

/// How long a native dialog may take to come.
const DIALOG_BOUND: Duration = Duration::from_secs(10);

/// Does every step; `files`: a folder for what is uploaded.
pub async fn drive(stage: &Stage, person: &Person, case: &Case, files: &std::path::Path) -> Outcome<()> {
    let mut tabs = BTreeMap::from([("tab1".to_owned(), person.clone())]);
    for (place, step) in case.steps.iter().enumerate() {
        let done = take_turn(stage, &mut tabs, step, files).await;
        done.map_err(|error| Failed::because(format!("step {} of the person: {error}", place + 1)))?;
    }
    Ok(())
}

async fn take_turn(
    stage: &Stage,
    tabs: &mut BTreeMap<String, Person>,
    step: &CaseStep,
    files: &std::path::Path,
) -> Outcome<()> {
    let name = step.tab.as_deref().unwrap_or("tab1");
    let person = tabs.get(name).ok_or_else(|| Failed::because(format!("there is no {name}")))?.clone();
    if step.tab.is_some() {
        person.tab().bring_to_front().await?;
    }
    let known = stage.chrome.targets().await?;
    match step.action.as_str() {
        "harness" => {
            stage.chrome.stop_worker().await?;
        }
        "upload" => {
            let file = step.file.clone().ok_or_else(|| Failed::because("no file"))?;
            let path = files.join(&file.name);
            std::fs::write(&path, &file.content).map_err(Failed::io("writing a file to upload"))?;
            person.give_file(&place(step.via.as_ref())?, &path).await?;
        }
        _ if !step.dialogs.is_empty() => {
            let (acted, answered) = tokio::join!(act(&person, step), answer(&person, &step.dialogs));
            acted.and(answered)?;
        }
        _ => act(&person, step).await?,
    }
    if let Some(opened) = &step.opens {
        let url = person.tab().url().await?;
        let origin = url.split('/').take(3).collect::<Vec<_>>().join("/");
        let tab = stage.chrome.new_tab_at(&origin, &known).await?;
        tab.bring_to_front().await?;
        tabs.insert(opened.clone(), Person::at(tab));
    }
    Ok(())
}

/// Answers native dialogs as they come.
async fn answer(person: &Person, answers: &[Answer]) -> Outcome<()> {
    let mut events = person.tab().events();
    for answer in answers {
        let opened = async {
            while events.recv().await.map_err(|error| Failed::because(error.to_string()))?.method
                != "Page.javascriptDialogOpening"
            {}
            Ok::<(), Failed>(())
        };
        timeout(DIALOG_BOUND, opened).await.map_err(|_| Failed::because("no dialog came"))??;
        let params =
            json!({ "accept": answer.accept, "promptText": answer.text.clone().unwrap_or_default() });
        person.tab().call("Page.handleJavaScriptDialog", params).await?;
    }
    Ok(())
}

async fn act(person: &Person, step: &CaseStep) -> Outcome<()> {
    let text = step.value.as_deref().unwrap_or_default();
    match step.action.as_str() {
        "click" | "check" => match (&step.hit, step.position) {
            (Some(css), _) => person.click(&What::css(css)).await,
            (None, Some(at)) => person.click_inside(&what(step)?, (at.x, at.y)).await,
            (None, None) => person.click(&what(step)?).await,
        },
        "dblclick" => person.double_click(&what(step)?).await,
        "contextmenu" => person.open_menu(&what(step)?).await,
        "wheel" => person.scroll(step.y).await,
        "back" => person.tab().travel(-1).await,
        "forward" => person.tab().travel(1).await,
        "reload" => person.tab().call("Page.reload", json!({})).await.map(drop),
        "close" => person.tab().close().await,
        "click_at" => person.click_point((step.x, step.y)).await,
        "hover" => person.hover(&what(step)?).await,
        "fill" if matches!(step.role.as_deref(), Some("date" | "time" | "month" | "color")) => {
            pick(person, step, text).await
        }
        "fill" => person.refill(&what(step)?, text).await,
        "keys" => person.type_text(text).await,
        "compose" => person.compose(text).await,
        "pause" => {
            tokio::time::sleep(Duration::from_secs_f64(step.x / 1000.0)).await;
            Ok(())
        }
        "wait" => person.tab().until(text).await,
        "drag_by" => person.drag_by(&what(step)?, (step.x, step.y)).await,
        "type" if step.nofocus == Some(true) => person.type_text(text).await,
        "type" => {
            person.click(&what(step)?).await?;
            if step.end == Some(true) {
                person.press("End").await?;
            }
            person.type_text(text).await
        }
        "press" => person.press(step.key.as_deref().unwrap_or_default()).await,
        "select" => choose(person, step).await,
        "scroll_to" => person.scroll_inside(&what(step)?, step.top).await,
        "draw" => person.draw_on(&what(step)?, &step.points).await,
        "drag" => {
            let to = step.to.clone().unwrap_or_default();
            let at = to.x.zip(to.y);
            person.drag_to(&place(step.from.as_ref())?, &place(Some(&to))?, at).await
        }
        other => Err(Failed::because(format!("this person cannot {other}"))),
    }
}

/// Dates and times are typed as an English-speaking browser has them; a colour is set as an aid of the person sets it.
async fn pick(person: &Person, step: &CaseStep, text: &str) -> Outcome<()> {
    let label = step.name.as_deref().unwrap_or_default();
    let field = What::css(&format!("input[type={}]", step.role.as_deref().unwrap_or_default()));
    let digits: Vec<&str> = text.split(['-', ':']).collect();
    match (step.role.as_deref(), digits.as_slice()) {
        (Some("date"), _) => person.enter_date(&field, text).await,
        (Some("time"), [hours, minutes]) => {
            person.tab_to(&field).await?;
            person.type_text(&format!("{hours}{minutes}A")).await
        }
        (Some("month"), [year, month]) => {
            person.tab_to(&field).await?;
            // The month is a name there, which no digit types.
            let names = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
            let place = month.parse::<usize>().unwrap_or(1).clamp(1, 12) - 1;
            person.type_text(names[place]).await?;
            person.press("ArrowRight").await?;
            person.type_text(year).await
        }
        _ => person
            .set_by_aid(&field, text)
            .await
            .map_err(|error| Failed::because(format!("{label}: {error}"))),
    }
}

async fn choose(person: &Person, step: &CaseStep) -> Outcome<()> {
    let what = what(step)?;
    let option = step.option.clone().unwrap_or_default();
    if let Value::Array(options) = &option {
        for (place, option) in options.iter().enumerate() {
            let index = option["index"].as_u64().unwrap_or_default();
            person.click_option(&what, index, place > 0).await?;
        }
        return Ok(());
    }
    // The browser's own list opens, and closes with the choice: one change, as people make it.
    person.click(&what).await?;
    person.press("Home").await?;
    for _ in 0..option["index"].as_u64().unwrap_or_default() {
        person.press("ArrowDown").await?;
    }
    person.press("Enter").await
}

fn place(place: Option<&Place>) -> Outcome<What> {
    let nowhere = || Failed::because("the case does not say where");
    let place = place.ok_or_else(nowhere)?;
    match (&place.css, &place.role, &place.name) {
        (Some(css), ..) => Ok(What::css(css)),
        (None, Some(role), Some(name)) => Ok(What::role(role, name)),
        _ => Err(nowhere()),
    }
}

fn what(step: &CaseStep) -> Outcome<What> {
    let raw = step.driver_raw.as_ref().and_then(Value::as_str);
    let css = step.css.as_deref().or(step.driver_css.as_deref()).or(raw);
    let mut what = match (css, &step.role, &step.name) {
        (Some(css), ..) => What::css(css),
        // Nothing a person sees says that it is a control: the case itself marks it.
        (None, Some(role), _) if role == "paragraph" => What::css("[data-truth=target]"),
        (None, Some(role), Some(name)) if step.exact == Some(false) => What::role_containing(role, name),
        (None, Some(role), Some(name)) => What::role(role, name),
        _ => return Err(Failed::because(format!("the case does not say where: {step:?}"))),
    };
    if let Some(region) = step.scope.as_ref().filter(|_| css.is_none()) {
        what = what.within(&region.role, &region.name);
    }
    what = what.showing(step.text.as_deref()).beside(step.within_text.as_deref());
    Ok(what.in_frames(&step.frame).nth(step.nth.unwrap_or_default()))
}
