//! The person does what a case says.

use serde_json::Value;

use super::{Case, CaseStep};
use crate::{Failed, Outcome, Person, What};

/// Does every step.
pub async fn drive(person: &Person, case: &Case) -> Outcome<()> {
    for (place, step) in case.steps.iter().enumerate() {
        let done = act(person, step).await;
        done.map_err(|error| Failed::because(format!("step {} of the person: {error}", place + 1)))?;
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
        "fill" => person.refill(&what(step)?, text).await,
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
        other => Err(Failed::because(format!("this person cannot {other}"))),
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
    Ok(what.nth(step.nth.unwrap_or_default()))
}
