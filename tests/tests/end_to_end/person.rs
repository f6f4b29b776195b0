//! The harness itself: its person does the errand without Cairn, and the application says what was done.

use cairn_host::browser::Launch;
use cairn_host::demo::{Booking, Build, DemoSite};
use cairn_tests::{Chrome, Errand, Person};

#[tokio::test]
async fn a_person_books_a_camera() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("manifest.json"),
        r#"{"manifest_version":3,"name":"none","version":"1"}"#,
    )
    .unwrap();
    let launch = Launch { extension_dir: Some(folder.path().to_owned()), ..Launch::default() };
    let chrome = Chrome::launch(launch).await.unwrap();
    let site = DemoSite::start(0, Build::V1).await.unwrap();
    let person = Person::at(chrome.open(&site.url()).await.unwrap());

    Errand::run(&person).await.unwrap();

    let state = site.state();
    let booking = Booking {
        number: 1047,
        equipment: Errand::EQUIPMENT.into(),
        department: Errand::DEPARTMENT.into(),
        day: Errand::DAY.into(),
        technician: true,
        note: Errand::NOTE.into(),
        accepted: true,
    };
    assert_eq!(state.bookings, [booking]);
    assert!(state.discarded.is_empty());
    chrome.stop().await;
}
