//! What tests of the store and of the server ask, and what they expect of it.

/// What is asked, which is no error.
macro_rules! ok {
    ($asked:expr) => {
        $asked.await.expect("no error")
    };
}

/// What is asked gives this: `gives!(store.renew_lease(&lease, now) => LeaseState::Held)`.
macro_rules! gives {
    ($asked:expr => $expected:expr $(, $($why:tt)+)?) => {
        assert_eq!(ok!($asked), $expected $(, $($why)+)?)
    };
}

/// A value fits this pattern.
macro_rules! fits {
    ($value:expr => $($pattern:tt)+) => {{
        let value = &$value;
        assert!(matches!(value, $($pattern)+), "{value:?}");
    }};
}

/// A row has these fields, of which an `Option` of text may be read by a method: `fields!(bot, {id: 1, note.as_deref(): None})`.
macro_rules! fields {
    ($row:expr, {$($field:ident $(($($of:tt)*))? $(. $more:ident $(($($given:tt)*))?)*: $value:expr),+}) => {$(
        assert_eq!(
            $row.$field $(($($of)*))? $(.$more $(($($given)*))?)*, $value,
            "{} of {:?}", stringify!($field), $row
        );
    )+};
}
