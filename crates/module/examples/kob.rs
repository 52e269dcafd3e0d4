//! The rules of this game as a module.

leitai_module::export_game!(leitai_kob::Position);
