//! Makes a browser of our own forget what it was told by a run, so that the next one begins as in a fresh profile.

use serde_json::json;

use super::{Pipe, PipeError};

/// Clears all cookies, the cache, and everything that these origins have stored.
///
/// # Errors
/// Where the browser refuses or ended.
pub async fn rinse(pipe: &Pipe, origins: &[String]) -> Result<(), PipeError> {
    pipe.call("Storage.clearCookies", json!({}), None).await?;
    // What is stored belongs to a page's session; an empty page has one.
    let made =
        pipe.call("Target.createTarget", json!({"url": "about:blank", "background": true}), None).await?;
    let target = made["targetId"].clone();
    let attached =
        pipe.call("Target.attachToTarget", json!({"targetId": target, "flatten": true}), None).await?;
    let session = attached["sessionId"].as_str().map(str::to_owned);
    for origin in origins {
        let what = json!({"origin": origin, "storageTypes": "all"});
        pipe.call("Storage.clearDataForOrigin", what, session.as_deref()).await?;
    }
    pipe.call("Network.clearBrowserCache", json!({}), session.as_deref()).await?;
    pipe.call("Target.closeTarget", json!({"targetId": target}), None).await?;
    Ok(())
}
