//! The errand that the demo records: somebody signs in at the lending desk, books a camera and accepts the terms.

use cairn_host::demo::Account;

use crate::{Outcome, Person, What};

/// What the person wants, as the application must show it in the end.
pub struct Errand;

impl Errand {
    /// The thing to book.
    pub const EQUIPMENT: &'static str = "Camera C-7";
    /// Key of the department.
    pub const DEPARTMENT: &'static str = "research";
    /// The day.
    pub const DAY: &'static str = "2027-03-15";
    /// The note.
    pub const NOTE: &'static str = "Two batteries, please";

    /// Does it on build v1, as a person does.
    pub async fn run(person: &Person) -> Outcome<()> {
        Self::sign_in(person).await?;
        Self::find_camera(person).await?;
        Self::fill_form(person).await?;
        person.click(&What::role("button", "Review booking")).await?;
        person
            .click(&What::role("button", "Confirm booking").within("dialog", "Please check your booking"))
            .await?;
        Self::accept_terms(person).await
    }

    async fn sign_in(person: &Person) -> Outcome<()> {
        person.fill(&What::role("textbox", "Email"), Account::EMAIL).await?;
        person.fill(&What::css("input[type=password]"), Account::PASSWORD).await?;
        person.click(&What::role("button", "Sign in")).await
    }

    async fn find_camera(person: &Person) -> Outcome<()> {
        person.click(&What::role("link", "Equipment").within("group", "All applications")).await?;
        person.fill(&What::role("searchbox", "Search equipment"), "camera").await?;
        person.click(&What::role("button", "Search")).await?;
        person.tab().until_text("9 items").await?;
        person.click(&What::role("link", "Next page")).await?;
        person.tab().until_text("Page 2 of 2").await?;
        // The second of four rows: each has its own "Book".
        person.click(&What::role("button", "Book").nth(1)).await
    }

    async fn fill_form(person: &Person) -> Outcome<()> {
        person.see(&What::role("heading", "Book Camera C-7")).await?;
        person.choose(&What::role("combobox", "Department"), "Research").await?;
        person.enter_date(&What::css("input[type=date]"), Self::DAY).await?;
        // On the label, as people do: one step that ticks the box.
        person.click(&What::css("label[for=technician]")).await?;
        person.fill(&What::role("textbox", "Note for the desk"), Self::NOTE).await
    }

    async fn accept_terms(person: &Person) -> Outcome<()> {
        person.click(&What::role("link", "Go to handover terms")).await?;
        person.click(&What::role("checkbox", "I have read the terms")).await?;
        person.click(&What::role("button", "Accept terms")).await?;
        person.see(&What::role("heading", "All set")).await
    }
}
