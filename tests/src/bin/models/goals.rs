//! What the model is asked to do on each application, and with what.

/// One goal, carried out with the first inputs and replayed with the second.
pub struct Goal {
    /// The test's name.
    pub name: &'static str,
    /// The application.
    pub on: App,
    /// In words.
    pub words: &'static str,
    /// Inputs of the first run and of the replay.
    pub inputs: &'static [(&'static str, &'static str, &'static str)],
}

/// An application that somebody else has written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum App {
    /// Django's admin.
    Django,
    /// Swagger UI over a small service.
    Swagger,
    /// datasette over a small database.
    Datasette,
}

impl App {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Django => "Django admin",
            Self::Swagger => "Swagger UI",
            Self::Datasette => "datasette",
        }
    }
}

/// Every goal, in an order in which each finds what it needs.
pub const GOALS: [Goal; 15] = [
    Goal {
        name: "add-group",
        on: App::Django,
        words: "Log in with %user% and %password%, follow \"Groups\", follow \"Add group\", fill \"Name\" with \"%group%\" and press \
                \"Save\" until it says \"was added successfully\".",
        inputs: &[("group", "Editors", "Writers")],
    },
    Goal {
        name: "find-user",
        on: App::Django,
        words: "Log in with %user% and %password%, follow \"Users\", fill \"Search\" with \"%who%\" and press \"Search\" until it says \
                \"1 result\".",
        inputs: &[("who", "bob", "ada")],
    },
    Goal {
        name: "add-user",
        on: App::Django,
        words: "Log in with %user% and %password%, follow \"Users\", follow \"Add user\", fill \"Username\" with \"%who%\", fill \
                \"Password\" with %password%, fill \"Password confirmation\" with %password% and press \"Save\" until it says \"was added \
                successfully\".",
        inputs: &[("who", "carol", "dave")],
    },
    Goal {
        name: "rename-user",
        on: App::Django,
        words: "Log in with %user% and %password%, follow \"Users\", follow \"bob\", fill \"First name\" with \"%first%\" and press \"Save\" \
                until it says \"was changed successfully\".",
        inputs: &[("first", "Robert", "Bobby")],
    },
    Goal {
        name: "delete-group",
        on: App::Django,
        words: "Log in with %user% and %password%, follow \"Groups\", follow \"%group%\", follow \"Delete\", press \"Yes, I’m sure\" until \
                it says \"was deleted successfully\".",
        inputs: &[("group", "Editors", "Writers")],
    },
    Goal {
        name: "list-pets",
        on: App::Swagger,
        words: "Open \"get /pets\", press \"Try it out\" and press \"Execute\" until it says \"Rex\".",
        inputs: &[],
    },
    Goal {
        name: "one-pet",
        on: App::Swagger,
        words: "Open \"get /pet\", press \"Try it out\", fill \"name\" with \"%pet%\" and press \"Execute\" until it says \"the name is %pet%\".",
        inputs: &[("pet", "Rex", "Tom")],
    },
    Goal {
        name: "add-pet",
        on: App::Swagger,
        words: "Open \"post /pets\", press \"Try it out\", fill \"name\" with \"%pet%\" and press \"Execute\" until it says \"added %pet%\".",
        inputs: &[("pet", "Ida", "Max")],
    },
    Goal {
        name: "delete-pet",
        on: App::Swagger,
        words: "Open \"delete /pets\", press \"Try it out\", fill \"name\" with \"%pet%\" and press \"Execute\" until it says \"removed %pet%\".",
        inputs: &[("pet", "Ida", "Max")],
    },
    Goal {
        name: "see-schema",
        on: App::Swagger,
        words: "Open \"put /pets\", press \"Try it out\", fill \"name\" with \"%pet%\" and press \"Execute\" until it says \"renamed %pet%\".",
        inputs: &[("pet", "Rex", "Tom")],
    },
    Goal {
        name: "open-table",
        on: App::Datasette,
        words: "Follow \"towns\" until you see \"towns\".",
        inputs: &[],
    },
    Goal {
        name: "sort-table",
        on: App::Datasette,
        words: "Follow \"towns\", follow \"people\" until it says \"sorted by people\".",
        inputs: &[],
    },
    Goal {
        name: "open-row",
        on: App::Datasette,
        words: "Follow \"towns\", follow \"2\" until you see \"towns: 2\".",
        inputs: &[],
    },
    Goal {
        name: "search-table",
        on: App::Datasette,
        words: "Follow \"towns\", fill \"Search\" with \"%word%\" and press \"Apply\" until it says \"search matches\".",
        inputs: &[("word", "Ulm", "Bern")],
    },
    Goal {
        name: "facet",
        on: App::Datasette,
        words: "Follow \"towns\", follow \"country\" until it says \"sorted by country\".",
        inputs: &[],
    },
];
