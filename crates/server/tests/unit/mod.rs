//! Tests of single modules, which need no server. The crate has no test binary of its own: it would be compiled twice.

mod accounts_member_list;
mod accounts_names;
mod accounts_one_time;
mod accounts_passkey;
mod accounts_password;
mod accounts_second_factor;
mod accounts_secret;
mod bus_envelope;
mod bus_in_process;
mod client_address;
mod http_board_picture;
mod http_client_address;
mod http_connections;
mod http_contest_export;
mod http_link_preview;
mod http_queue_place;
mod http_replay_page;
mod http_response_cache;
mod http_routes_contest_checks;
mod http_routes_share;
mod http_routes_sign_in;
mod http_upload;
mod ladders_file;
mod live;
mod live_audience;
mod live_backlog;
mod live_message;
mod live_shared;
mod live_spectators;
mod mail;
mod oidc_config;
mod oidc_provider;
mod operator_file;
mod person_ratings;
mod play;
mod play_phrases;
mod play_seat_owner;
mod schedule;
mod similar;
mod similar_fingerprints;
mod similar_pairs;
mod similar_tokens;
mod webhooks_address;
mod webhooks_places;
mod work_check_version;
mod work_continuation;
mod work_http_messages;
mod work_http_source;
mod work_limits;
mod work_program_cache;
mod work_source;

/// Tests in `src` would not run.
#[test]
fn the_sources_contain_no_tests() {
    let mut folders = vec![std::path::PathBuf::from(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/src"
    ))];
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("a file").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = std::fs::read_to_string(&path).expect("text");
            assert!(!text.contains("#[cfg(test)]"), "{}", path.display());
            files += 1;
        }
    }
    assert!(files > 100, "{files}");
}
