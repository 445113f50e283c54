#![allow(clippy::unwrap_used)]
use super::*;

const IDLE: Work = Work {
    running: 0,
    waiting: 0,
};
const RUNNING: Work = Work {
    running: 1,
    waiting: 0,
};
const WAITING: Work = Work {
    running: 0,
    waiting: 1,
};
const WORKS: [Work; 3] = [IDLE, RUNNING, WAITING];
const SETTINGS: [OnClose; 3] = [OnClose::Ask, OnClose::Tray, OnClose::Quit];

fn close(on_close: OnClose, work: Work, others: bool) -> Step {
    decide(
        Wish::Close,
        Standing {
            on_close,
            work,
            others,
        },
    )
}

#[test]
fn until_something_was_chosen_closing_asks_whatever_runs() {
    for work in WORKS {
        assert_eq!(close(OnClose::Ask, work, false), Step::Ask, "{work:?}");
    }
}

#[test]
fn the_tray_once_chosen_needs_no_question() {
    for work in WORKS {
        assert_eq!(
            close(OnClose::Tray, work, false),
            Step::KeepRunning,
            "{work:?}"
        );
    }
}

#[test]
fn quitting_asks_exactly_when_something_runs_or_waits_however_it_is_reached() {
    for (work, step) in [
        (IDLE, Step::Quit),
        (RUNNING, Step::Ask),
        (WAITING, Step::Ask),
    ] {
        assert_eq!(close(OnClose::Quit, work, false), step, "{work:?}");
        for on_close in SETTINGS {
            let standing = Standing {
                on_close,
                work,
                others: false,
            };
            assert_eq!(
                decide(Wish::Quit, standing),
                step,
                "{work:?} with {on_close:?}"
            );
        }
    }
}

#[test]
fn a_window_that_is_not_the_last_one_just_closes() {
    for on_close in SETTINGS {
        for work in WORKS {
            assert_eq!(
                close(on_close, work, true),
                Step::CloseWindow,
                "{work:?} with {on_close:?}"
            );
        }
    }
}

#[test]
fn a_page_that_took_the_question_up_keeps_it_as_long_as_a_person_thinks() {
    let closing = Closing::default();
    let (number, mut taken_up) = closing.ask(Wish::Close, MAIN).unwrap();
    assert!(taken_up.try_recv().is_err());
    assert!(closing.taken_up());
    assert_eq!(taken_up.try_recv(), Ok(()));
    assert!(
        !closing.turn_native(number),
        "the dialog would be a second question"
    );
    assert_eq!(closing.settle(None).unwrap().number, number);
    assert!(closing.settle(None).is_none(), "it is answered once");
    assert!(!closing.taken_up());
}

#[test]
fn a_page_that_does_not_take_it_up_is_overtaken_by_one_dialog() {
    let closing = Closing::default();
    let (number, _taken_up) = closing.ask(Wish::Close, MAIN).unwrap();
    assert!(closing.turn_native(number));
    assert!(
        closing.ask(Wish::Close, MAIN).is_none(),
        "a second click stacks no second dialog"
    );
    assert!(closing.settle(Some(number + 1)).is_none());
    assert!(closing.settle(Some(number)).is_some());
    assert!(closing.ask(Wish::Quit, MAIN).is_some());
}

#[test]
fn a_new_question_takes_the_place_of_one_that_nobody_answered() {
    let closing = Closing::default();
    let (first, _taken_up) = closing.ask(Wish::Close, MAIN).unwrap();
    closing.taken_up();
    let (second, _taken_up) = closing.ask(Wish::Quit, "session-1").unwrap();
    assert!(!closing.turn_native(first));
    assert!(closing.settle(Some(first)).is_none());
    let question = closing.settle(Some(second)).unwrap();
    assert_eq!(
        (question.wish, &*question.window),
        (Wish::Quit, "session-1")
    );
}

#[test]
fn the_dialog_says_what_is_at_stake_and_how_the_window_comes_back() {
    let text = words(
        Wish::Close,
        Work {
            running: 2,
            waiting: 1,
        },
        false,
    );
    assert!(
        text.contains("2 sessions work, 1 session waits for you."),
        "{text}"
    );
    assert!(text.contains("starting the app again"), "{text}");
    let text = words(Wish::Quit, IDLE, true);
    assert!(text.contains("No session is at work."), "{text}");
    assert!(text.contains("tray icon"), "{text}");
}

#[test]
fn a_dialog_that_is_closed_changes_nothing() {
    let custom = |label: &str| chosen(&MessageDialogResult::Custom(label.to_owned()));
    assert_eq!(custom(KEEP), CloseChoice::Tray);
    assert_eq!(custom(QUIT), CloseChoice::Quit);
    assert_eq!(custom(CANCEL), CloseChoice::Cancel);
    assert_eq!(chosen(&MessageDialogResult::Cancel), CloseChoice::Cancel);
    assert_eq!(chosen(&MessageDialogResult::Ok), CloseChoice::Cancel);
}
