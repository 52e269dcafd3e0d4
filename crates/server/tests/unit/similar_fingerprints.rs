//! Tests of `similar::fingerprints`.

use leitai_server::similar::fingerprints::*;
use leitai_server::similar::tokens::Token;

fn tokens(codes: impl Iterator<Item = u64>) -> Vec<Token> {
    codes.map(|code| Token { code, line: 1 }).collect()
}

#[test]
fn every_part_that_is_long_enough_is_found() {
    let shared: Vec<u64> = (1000..1000 + SEEN as u64).collect();
    for shift in 0..40_u64 {
        let one = tokens((0..100).chain(shared.iter().copied()).chain(200..260));
        let other = tokens(
            (5000..5000 + shift)
                .chain(shared.iter().copied())
                .chain(9000..9030),
        );
        let [one, other] = [one, other].map(|tokens| {
            let mut found = Vec::new();
            winnow_tokens(&tokens, 0, &mut found);
            found
        });
        let common = one.iter().any(|a| other.iter().any(|b| a.hash == b.hash));
        assert!(common, "after {shift} tokens");
    }
}

#[test]
fn there_are_few_fingerprints_and_short_files_have_none() {
    let mut found = Vec::new();
    winnow_tokens(&tokens((0..10_000).map(|n| n * n % 977)), 0, &mut found);
    assert!((1_000..4_000).contains(&found.len()), "{}", found.len());
    found.clear();
    winnow_tokens(&tokens(0..GRAM as u64 - 1), 0, &mut found);
    assert!(found.is_empty());
    winnow_tokens(&tokens(0..GRAM as u64), 0, &mut found);
    assert_eq!(found.len(), 1);
}
