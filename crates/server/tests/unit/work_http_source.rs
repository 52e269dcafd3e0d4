//! Tests of `work::http_source`.

use leitai_server::work::http_source::*;
use leitai_server::work::source::JobSourceError;

fn source_at(count: usize) -> HttpJobSource {
    let servers: Vec<String> = (0..count)
        .map(|index| format!("http://s{index}/"))
        .collect();
    HttpJobSource::new(&servers, "token", "worker", leitai_game::GameSet::default())
}

#[test]
fn a_worker_stays_with_the_server_that_answers_and_asks_each_once() {
    let source = source_at(3);
    let later = |server: &str| Err(JobSourceError::Later(format!("{server} is away")));
    let mut asked = Vec::new();
    let mut ask = |answers: &str| {
        asked.clear();
        let answer = source.ask_servers(false, |server| {
            asked.push(server.to_owned());
            if server == answers {
                Ok(())
            } else {
                later(server)
            }
        });
        (answer, asked.join(" "))
    };
    assert_eq!(ask("http://s0"), (Ok(()), "http://s0".to_owned()));
    assert_eq!(ask("http://s2").0, Ok(()));
    assert_eq!(ask("http://s2"), (Ok(()), "http://s2".to_owned()));
    let all = "http://s2 is away; http://s0 is away; http://s1 is away";
    assert_eq!(ask("").0, Err(JobSourceError::Later(all.to_owned())));
    assert_eq!(ask("http://s0").1, "http://s2 http://s0");
}

#[test]
fn a_version_that_one_server_refuses_may_work_for_another() {
    let source = source_at(2);
    let refused = || Err::<(), _>(JobSourceError::Refused("no".to_owned()));
    let later = || Err::<(), _>(JobSourceError::Later("away".to_owned()));
    let is_first = |server: &str| server == "http://s0";
    let ask = |all: bool, answer: &dyn Fn(bool) -> Result<(), JobSourceError>| {
        source.ask_servers(all, |server| answer(is_first(server)))
    };
    assert_eq!(ask(false, &|_| refused()), refused());
    let both = JobSourceError::Refused("no; no".to_owned());
    assert_eq!(ask(true, &|_| refused()), Err(both));
    let one = JobSourceError::Later("no; away".to_owned());
    let answer = |first: bool| if first { refused() } else { later() };
    assert_eq!(ask(true, &answer), Err(one));
    assert_eq!(
        ask(true, &|first| if first { refused() } else { Ok(()) }),
        Ok(())
    );
}
