//! The keys of every type that a probe reads or writes. The same as `serde`'s attributes say beside each type: a key that
//! is missing here does not compile, one that is called otherwise fails the tests below.

use super::declare::{choice, record, words};
use super::json::Json;
use super::page::{
    Batch, BatchEnd, Captured, CheckResult, Configure, Cover, Diverged, Divergence, FromPage, HeldFrame,
    InputMode, InputValue, ListOptions, Listed, Listing, PageAnswer, PageEvent, PageRequest, Played, Point,
    Policy, PriorStep, RecordOptions, Selectors, StepReport, StepStatus, ToPage, Waited,
};
use super::wired::{self, Key, Wired};
use super::{ErrorCode, WireError};
use crate::element::{Element, FrameStep, Rect, Ref, Scope, States, Tristate, Usable};
use crate::ladder::{Decline, Heal, Match, Rung, RunnerUp, Verdict};
use crate::script::{
    Action, BoundingBox, Condition, Dialog, Effect, Extract, Method, OptionChoice, Outcome, Postcondition,
    Precondition, Requested, Seen, Step, Target,
};

record!(WireError { "!code" code, "!message" message, "?hint" hint });
words!(ErrorCode {
    "badMessage" BadMessage, "wrongVersion" WrongVersion, "noSuchLease" NoSuchLease, "gone" Gone, "timedOut" TimedOut,
    "staleRef" StaleRef, "refused" Refused, "panicked" Panicked, "disconnected" Disconnected, "internal" Internal,
});

record!(ToPage { "!id" id, "!request" request });
choice!(FromPage {
    "answer" Answer { "!id" id, "!answer" answer },
    "failed" Failed { "!id" id, "!error" error },
    "event" Event { "!event" event },
    "events" Events { "!events" events },
});
choice!(PageRequest {
    "configure" Configure(configure),
    "list" List(options),
    "snapshot" Snapshot,
    "play" Play(batch),
    "proceed" Proceed { "!run" run, "!number" number },
    "handed" Handed { "!run" run, "!number" number, "?refused" refused },
    "cancel" Cancel { "!run" run },
    "record" Record(options),
    "stopRecord" StopRecord,
    "act" Act { "!reference" reference, "!action" action },
    "check" Check { "!conditions" conditions, "!inputs" inputs, "!boundMs" bound_ms },
    "build" Build { "!from" from },
    "describe" Describe { "!reference" reference },
});
record!(Configure: Default {
    "document" document, "frame" frame, "testIdAttributes" test_id_attributes, "secrets" secrets,
});
record!(ListOptions: Default {
    "all" all, "hidden" hidden, "tree" tree, "selectors" selectors, "boundMs" bound_ms,
});
record!(Listing: Default {
    "url" url, "title" title, "engine" engine, "elements" elements, "?loading" loading, "?truncated" truncated,
    "tookMs" took_ms, "place" place, "?frames" frames,
});
words!(Selectors { "first" First, "path" Path, "none" None });
record!(HeldFrame: Default {
    "place" place, "name" name, "before" before, "matrix" matrix, "shown" shown, "near" near, "usable" usable,
    "?ariaHidden" aria_hidden, "?covers" covers,
});
record!(Cover: Default { "box" bounds, "by" by });
record!(Listed: Default { "index" index, "element" element, "?selector" selector });
record!(InputValue: Default { "value" value, "secret" secret });
record!(Batch: Default {
    "run" run, "?prior" prior, "first" first, "steps" steps, "inputs" inputs, "policy" policy, "input" input,
    "outcomes" outcomes, "?files" files, "goal" goal, "boundMs" bound_ms,
});
words!(InputMode { "auto" Auto, "page" Page, "trusted" Trusted });
record!(Point { "!x" x, "!y" y });
record!(PriorStep { "!number" number, "!step" step, "?found" found });
record!(Policy: Default { "heal" heal, "threshold" threshold });
record!(RecordOptions: Default { "nextNumber" next_number, "inputs" inputs, "?prior" prior });
choice!(PageAnswer {
    "done" Done,
    "listing" Listing(listing),
    "snapshot" Snapshot { "!json" json },
    "played" Played(played),
    "checked" Checked { "!results" results },
    "build" Build { "value" value, "!assets" assets },
    "described" Described { "!target" target, "?weak" weak },
});
record!(Played: Default { "last" last, "end" end, "goal" goal });
words!(BatchEnd {
    "completed" Completed, "diverged" Diverged, "outcome" Outcome, "hostStep" HostStep, "leaving" Leaving,
    "cancelled" Cancelled,
});
record!(CheckResult: Default { "holds" holds, "expected" expected, "observed" observed });
choice!(PageEvent {
    "intent" Intent {
        "!run" run, "!number" number, "?found" found, "?repointed" repointed, "!awaitsWord" awaits_word
    },
    "hand" Hand { "!run" run, "!number" number, "?at" at, "?to" to, "!again" again },
    "step" Step { "!run" run, "!report" report },
    "outcome" Outcome { "!run" run, "!number" number, "!code" code, "!detail" detail },
    "captured" Captured(captured),
    "amended" Amended(captured),
    "retracted" Retracted { "!number" number },
    "travels" Travels,
    "panicked" Panicked { "!message" message },
});
record!(StepReport: Default {
    "number" number, "status" status, "?found" found, "?repointed" repointed, "?waits" waits, "url" url,
    "tookMs" took_ms, "?divergence" divergence, "?extracted" extracted, "?trusted" trusted,
});
words!(StepStatus { "hit" Hit, "healed" Healed, "diverged" Diverged, "skipped" Skipped });
record!(Waited: Default { "cause" cause, "ms" ms });
record!(Divergence: Default { "condition" condition, "expected" expected, "observed" observed, "acted" acted });
words!(Diverged {
    "url" Url, "target" Target, "unusable" Unusable, "act" Act, "postcondition" Postcondition, "goal" Goal,
    "lost" Lost,
});

record!(Precondition: Default { "?WaitForTarget" wait_for_target, "?UrlPattern" url_pattern });
record!(Seen: Default { "Role" role, "Name" name, "?Scope" scope });
record!(Requested: Default { "Method" method, "UrlPattern" url_pattern });
record!(Condition: Default {
    "?UrlPattern" url_pattern, "?Role" role, "?Name" name, "?Scope" scope, "?Text" text, "?Value" value,
    "?Checked" checked, "?Enabled" enabled, "?Count" count, "?Gone" gone,
});
record!(Outcome: Default { "Code" code, "When" when, "?Detail" detail });
record!(Step: Default {
    "Instruction" instruction, "UrlBefore" url_before, "Action" action, "Precondition" precondition,
    "?Postcondition" postcondition, "?Effect" effect, "?By" by, "?Tab" tab, "?Input" input, "?Sends" sends,
    "?To" to, "?Extract" extract, "?Check" check,
    "?Dialogs" dialogs, "?Risk" risk, "?Weak" weak,
});
record!(Action: Default {
    "Method" method, "?Target" target, "?Value" value, "?Option" option, "?Options" options,
});
words!(Method {
    "click" Click, "dblclick" Dblclick, "contextmenu" Contextmenu, "hover" Hover, "fill" Fill, "type" Type,
    "press" Press, "select" Select, "check" Check, "uncheck" Uncheck, "upload" Upload, "drag" Drag, "scroll" Scroll,
    "goto" Goto, "back" Back, "forward" Forward, "reload" Reload, "switchTab" SwitchTab, "closeTab" CloseTab,
    "dialog" Dialog, "wait" Wait, "extract" Extract, "assert" Assert,
});
record!(Dialog: Default { "Kind" kind, "?Message" message, "Accept" accept, "?Text" text });
record!(Extract: Default { "Read" read });
record!(OptionChoice: Default { "?Label" label, "Value" value, "?Group" group, "Index" index });
record!(Target: Default {
    "Role" role, "Name" name, "?Selector" selector, "?Selectors" selectors, "?Scope" scope,
    "?ScopeWeak" scope_weak, "?Frame" frame, "?Path" path, "?Attributes" attributes, "?Twins" twins,
    "?ScopeTwins" scope_twins, "?Ordinal" ordinal, "?NearNames" near_names, "?RowKey" row_key, "?Heading" heading,
    "?Beside" beside, "?BoundingBox" bounding_box,
});

record!(FrameStep { "!Index" index, "?Name" name, "?Url" url });
record!(Scope { "!label" label, "?weak" weak });
choice!(Usable {
    "yes" Yes,
    "unknown" Unknown,
    "covered" Covered { "!by" by },
    "inert" Inert,
    "disabled" Disabled,
    "hidden" Hidden,
});
words!(Tristate { "true" True, "false" False, "mixed" Mixed });
record!(States: Default {
    "?checked" checked, "?disabled" disabled, "?expanded" expanded, "?selected" selected, "?pressed" pressed,
    "?readonly" readonly, "?required" required, "?invalid" invalid, "?focused" focused, "?ariaHidden" aria_hidden,
    "?value" value, "?secret" secret, "?options" options, "?scrollable" scrollable, "?cut" cut,
});
record!(Element: Default {
    "?ref" reference, "role" role, "name" name, "tag" tag, "?scope" scope, "?frame" frame, "box" bounds,
    "states" states, "usable" usable, "?affordance" affordance, "?attributes" attributes, "path" path,
    "?rowKey" row_key, "?heading" heading, "?beside" beside,
});

words!(Heal { "off" Off, "deterministic" Deterministic, "ladder" Ladder });
words!(Rung {
    "selector" Selector, "roleName" RoleName, "place" Place, "roleClass" RoleClass, "stableId" StableId,
    "substring" Substring, "decision" Decision,
});
choice!(Verdict {
    "found" Found(found),
    "healed" Healed(found),
    "ambiguous" Ambiguous(decline),
    "lost" Lost(decline),
});
record!(Match {
    "!index" index, "!rung" rung, "!confidence" confidence, "?selector" selector, "?runnerUp" runner_up,
    "!margin" margin, "!reason" reason,
});
record!(Decline { "!confidence" confidence, "?shortlist" shortlist, "!reason" reason });
record!(RunnerUp { "!index" index, "!role" role, "!name" name, "!reason" reason });

record!(Captured: Default {
    "number" number, "at" at, "step" step, "effect" effect, "settled" settled, "secrets" secrets, "assertable" assertable,
});
record!(Postcondition: Default, absent by is_empty {
    "?UrlPattern" url_pattern, "?Value" value, "?Checked" checked, "?Appeared" appeared, "?Vanished" vanished,
    "?Stirs" stirs, "?NewTab" new_tab, "?Dialog" dialog,
});
record!(Effect: Default, absent by is_empty {
    "?UrlAfter" url_after, "?Value" value, "?Checked" checked, "?Appeared" appeared, "?Vanished" vanished,
    "?Requests" requests, "?Dialogs" dialogs, "?NewTab" new_tab, "?Download" download, "?Focus" focus,
    "?Stirs" stirs,
});

impl Wired for Ref {
    fn blank() -> Self {
        Self(String::new())
    }

    fn pass(&mut self, json: &mut Json<'_>) -> Option<()> {
        self.0.pass(json)
    }
}

/// `[x,y,w,h]`
impl Wired for Rect {
    fn blank() -> Self {
        Self::default()
    }

    fn pass(&mut self, json: &mut Json<'_>) -> Option<()> {
        let mut numbers = if json.reads() { Vec::new() } else { <[f64; 4]>::from(*self).to_vec() };
        wired::list(json, &mut numbers)?;
        match <[f64; 4]>::try_from(numbers) {
            Ok(numbers) => *self = numbers.into(),
            Err(_) => return json.expected("four numbers"),
        }
        Some(())
    }
}

/// In whole pixels, as a script has them.
impl Wired for BoundingBox {
    fn blank() -> Self {
        Self::default()
    }

    fn pass(&mut self, json: &mut Json<'_>) -> Option<()> {
        const KEYS: &[Key] = &[Key::of("!XMin"), Key::of("!YMin"), Key::of("!XMax"), Key::of("!YMax")];
        let Self { x_min, y_min, x_max, y_max } = self;
        if !json.reads() {
            for side in [&mut *x_min, y_min, x_max, y_max] {
                *side = side.round();
            }
        }
        wired::record(json, KEYS, &mut [x_min, y_min, x_max, y_max])
    }
}
