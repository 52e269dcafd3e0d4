//! The servers of an arena are replaced by those of another version, one after the other, while it is
//! used. `LEITAI_BEFORE=FILE` is the binary of the version before; without it both are this one, and
//! the test is about ending and starting alone. `LEITAI_BREAKING=1` says that the two cannot work beside
//! each other: then all are stopped before the first new one starts.

use std::path::{Path, PathBuf};

use crate::chaos::{Chaos, Parts, Size, begin, state_of};
use crate::fleet::{Fleet, Process, Server, wait_until};

/// Spectators of one match at each server.
const CROWD: usize = 3;

/// Ends a server as a service manager does, and starts another one at its address.
fn replace(fleet: &Fleet, mut server: Server, name: &str, binary: Option<&Path>) -> Server {
    let address = server.address.clone();
    end(&mut server.process);
    fleet.use_binary(binary);
    fleet.serve_at(name, &address, crate::chaos::LIMITS)
}

fn end(process: &mut Process) {
    process.signal("TERM");
    assert_eq!(process.wait(), Some(0), "{}", process.log());
}

/// Everything that people do; an upload goes to the first server, a match is watched at both and is
/// running.
fn use_arena(chaos: &mut Chaos, one: &Server, two: &Server) {
    let watched = chaos.ask_for_match(two, &[one, two]);
    chaos.gather_crowd([one, two], watched, CROWD);
    chaos.seat_people(one, two);
    chaos.upload(one);
    chaos.ask_for_match(one, &[]);
    wait_until("the match has begun", || state_of(two, watched) != "queued");
}

/// Ends both servers, and starts others at their addresses; before that none of them starts, and
/// after it none of the version before.
fn replace_both(
    fleet: &Fleet,
    servers: [Server; 2],
    names: [&str; 2],
    before: Option<&Path>,
) -> [Server; 2] {
    fleet.use_binary(None);
    let said = fleet.serve_in_vain(&fleet.bus());
    assert!(said.contains("stop them, then start this one"), "{said}");
    let addresses = servers.map(|mut server| {
        end(&mut server.process);
        server.address.clone()
    });
    let [one, two] =
        [0, 1].map(|index| fleet.serve_at(names[index], &addresses[index], crate::chaos::LIMITS));
    fleet.use_binary(before);
    let said = fleet.serve_in_vain(&fleet.bus());
    assert!(said.contains("a newer version of Leitai"), "{said}");
    fleet.use_binary(None);
    [one, two]
}

#[tokio::test(flavor = "multi_thread")]
async fn servers_are_replaced_one_after_the_other_and_nothing_is_lost() {
    let Some(fleet) = Fleet::start_with_s3(false) else {
        return;
    };
    let before = std::env::var_os("LEITAI_BEFORE").map(PathBuf::from);
    let before = before.as_deref();
    fleet.use_binary(before);
    let (parts, mut chaos) = begin(&fleet, Size::SMALL);
    let Parts { one, two, workers } = parts;
    let [mut first, mut second] = workers;

    use_arena(&mut chaos, &one, &two);
    let is_breaking = std::env::var("LEITAI_BREAKING").is_ok_and(|value| value == "1");
    let [one, two] = match is_breaking {
        true => replace_both(&fleet, [one, two], ["one-between", "two-between"], before),
        false => [one, two],
    };
    let before = before.filter(|_| !is_breaking);
    let one = replace(&fleet, one, "one-after", None);
    use_arena(&mut chaos, &one, &two);
    let two = match before {
        // One of the version before starts beside the newer one, as after a crash.
        Some(_) => {
            let again = replace(&fleet, two, "two-before", before);
            use_arena(&mut chaos, &again, &one);
            again
        }
        None => two,
    };
    let two = replace(&fleet, two, "two-after", None);
    chaos.assert_all_is_there(&one);

    // The workers play for both versions, and are replaced last.
    assert!(!first.log().contains("refuses"), "{}", first.log());
    end(&mut first);
    let _third = fleet.work_for(&[&one, &two], "third");
    end(&mut second);
    use_arena(&mut chaos, &two, &one);

    chaos.assert_all_is_there(&two);
    chaos.assert_boards_were_right(&one).await;
    chaos.assert_people_ended().await;
    chaos.assert_results_are_right(&one);
}
