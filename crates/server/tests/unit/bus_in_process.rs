//! Tests of `bus::in_process`.

use leitai_server::bus::in_process::*;
use leitai_server::bus::{Bus, BusError};
use std::time::Duration;

const SOON: Duration = Duration::from_millis(50);

#[tokio::test]
async fn messages_reach_every_subscriber_and_the_first_reply_counts() {
    let bus = InProcessBus::default();
    bus.publish("news", "lost".into());
    let nobody = bus.request("news", "?".into(), SOON).await;
    assert_eq!(nobody, Err(BusError::NobodyListens));
    let mut two = Vec::new();
    for _ in 0..2 {
        two.push(bus.subscribe("news").await.expect("it is there"));
    }
    bus.publish("news", "one".into());
    bus.publish("other", "no".into());
    for subscription in &mut two {
        let message = subscription.next().await.expect("a message");
        assert_eq!(
            (&*message.subject, &message.payload[..]),
            ("news", &b"one"[..])
        );
        assert!(message.replier.is_none());
    }
    let silent = bus.request("news", "?".into(), SOON).await;
    assert_eq!(silent, Err(BusError::TimedOut));
    for subscription in &mut two {
        assert!(subscription.next().await.is_some());
    }
    let (ask, answer) = (bus.clone(), two.pop().expect("there are two"));
    let asked = tokio::spawn(async move {
        let most = Duration::from_secs(60);
        ask.request("news", "who?".into(), most).await
    });
    let mut answer = answer;
    let question = answer.next().await.expect("a question");
    question.replier.expect("it asks").send_reply("me".into());
    assert_eq!(asked.await.expect("it ends"), Ok("me".into()));
    drop((two, answer));
    let gone = bus.request("news", "?".into(), SOON).await;
    assert_eq!(gone, Err(BusError::NobodyListens));
}
