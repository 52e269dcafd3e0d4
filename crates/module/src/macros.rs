//! The exports of a game.

/// Exports the functions of `leitai-game/1` for a game, the type of whose positions is named; with
/// `bots` after it also the built-in bots of the game, if it is open.
#[macro_export]
macro_rules! export_game {
    ($position:ty, bots) => {
        $crate::export_game!($position);

        #[doc(hidden)]
        #[allow(unsafe_code, reason = "exporting a name needs it")]
        #[unsafe(no_mangle)]
        pub extern "C" fn leitai_game_1_bot() -> u64 {
            LEG.with(|module| module.answer_bot())
        }
    };
    ($position:ty) => {
        thread_local! {
            static LEG: $crate::abi::Module<$position> = const { $crate::abi::Module::new() };
        }

        $crate::export_game! { @functions
            leitai_game_1_config: Config,
            leitai_game_1_deal: Deal,
            leitai_game_1_start: Start,
            leitai_game_1_step: Step,
            leitai_game_1_legal: Legal,
            leitai_game_1_check: Check,
            leitai_game_1_view: View,
            leitai_game_1_text: Text,
            leitai_game_1_decide: Decide,
            leitai_game_1_sample: Sample,
            leitai_game_1_playout: Playout,
            leitai_game_1_corpus: Corpus,
        }

        #[doc(hidden)]
        #[allow(unsafe_code, reason = "exporting a name needs it")]
        #[unsafe(no_mangle)]
        pub extern "C" fn leitai_game_1_input(length: usize) -> *mut u8 {
            LEG.with(|module| module.take_input(length))
        }
    };
    (@functions $($name:ident: $call:ident,)*) => {$(
        #[doc(hidden)]
        #[allow(unsafe_code, reason = "exporting a name needs it")]
        #[unsafe(no_mangle)]
        pub extern "C" fn $name() -> u64 {
            LEG.with(|module| module.answer($crate::wire::Call::$call))
        }
    )*};
}
