//! What a guest's requests may use up, and that its neighbours don't notice.

use crate::egress_guest::{Answer, Ask, Given, code, failed, others_go_on, resolving};
use crate::egress_server::{Connection, Server, reply};
use crate::guests::join_all;
use base64::Engine as _;
use ringfence_sandbox::{Addresses, CallReport, Exceeded, LimitKind, Outcome, RequestLimits, Resolve};
use serde_json::json;
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::time::sleep;

fn within(server: &Server, limits: RequestLimits) -> Given {
    Given { limits, ..Given::host(&server.url("")) }
}

async fn exceeded(report: CallReport, which: LimitKind) -> CallReport {
    let Outcome::Exceeded(Exceeded { which: met, limit, used }) = report.outcome else {
        panic!("{:?}: {:?}", report.outcome, report.crash)
    };
    assert_eq!(met, which);
    assert!(used >= limit, "{used} of {limit}");
    others_go_on().await;
    report
}

/// Writes until the other side is gone.
async fn for_ever(mut connection: Connection, begin: &str, again: &[u8], pause: Duration) {
    let _ = connection.write_all(begin.as_bytes()).await;
    while connection.write_all(again).await.is_ok() && connection.flush().await.is_ok() {
        if !pause.is_zero() {
            sleep(pause).await;
        }
    }
}

const UNTIL_CLOSED: &str = "HTTP/1.1 200 OK\r\n\r\n";

#[tokio::test]
async fn the_request_after_the_last_one_ends_the_call() {
    let server = Server::echoing().await;
    let given = Given::host(&server.url(""));
    let report = given.ask_often(&Ask::get(&server.url("/")), 32).await;
    assert_eq!(report.outcome, Outcome::Done(json!(32)));
    let report = given.ask_often(&Ask::get(&server.url("/")), 100).await;
    let report = exceeded(report, LimitKind::Requests).await;
    assert_eq!((report.receipt.requests.len(), server.heard().len()), (32, 64));
    assert_eq!(
        report.outcome.message(&report.receipt),
        "the tool was stopped: it exceeded its limit of requests to the network (32 allowed, 33 used or asked \
         for); [limits] requests can allow more"
    );
}

#[tokio::test]
async fn a_request_s_body_is_bounded() {
    let server = Server::new(|mut connection, _| async move {
        let mut sink = tokio::io::sink();
        let _ = tokio::io::copy(&mut connection, &mut sink).await;
    })
    .await;
    let hosts = json!({"url": server.url(""), "methods": ["PUT"], "private": true});
    let hosts = vec![crate::egress_guest::grant(hosts)];
    let given = Given { hosts, ..Given::default() };
    let ask = |body| Ask { method: "PUT", url: "", headers: &[], body };
    let url = server.url("/");
    let report = given.ask(&Ask { url: &url, ..ask(&[b'x'; 2 << 20]) }).await;
    let report = exceeded(report, LimitKind::SentBytes).await;
    assert!(report.receipt.requests[0].bytes_out <= 1 << 20, "{:?}", report.receipt.requests);
}

#[tokio::test]
async fn an_endless_body_ends_the_call() {
    let server =
        Server::new(|connection, _| for_ever(connection, UNTIL_CLOSED, &[b'x'; 4096], Duration::ZERO)).await;
    let limits = RequestLimits { received_bytes: 1 << 20, ..RequestLimits::default() };
    let report = within(&server, limits).get(&server.url("/")).await;
    let report = exceeded(report, LimitKind::ReceivedBytes).await;
    let received = report.receipt.requests[0].bytes_in;
    assert!(received > 1 << 20 && received < 2 << 20, "{received}");
}

#[tokio::test]
async fn others_go_on_while_servers_flood_and_drip() {
    let flood = |connection, _| for_ever(connection, UNTIL_CLOSED, &[b'x'; 4096], Duration::ZERO);
    let drip = |connection, _| for_ever(connection, UNTIL_CLOSED, b"x", Duration::from_millis(5));
    let (flood, drip) = (Server::new(flood).await, Server::new(drip).await);
    let limits = RequestLimits { time_ms: 500, ..RequestLimits::default() };
    let (flooded, dripped) = (within(&flood, limits.clone()), within(&drip, limits));
    let (flood, drip) = (flood.url("/"), drip.url("/"));
    let hostile = join_all((0..4).map(|_| async {
        let (flooded, dripped) = tokio::join!(flooded.get(&flood), dripped.get(&drip));
        [flooded.outcome, dripped.outcome]
    }));
    let others = async {
        for _ in 0..50 {
            others_go_on().await;
        }
    };
    for outcome in tokio::join!(hostile, others).0.into_iter().flatten() {
        assert!(matches!(outcome, Outcome::Exceeded(_)), "{outcome:?}");
    }
}

#[tokio::test]
async fn the_bodies_of_all_replies_count_together() {
    let server = Server::saying(reply("x", &[b'x'; 10_000])).await;
    let limits = RequestLimits { received_bytes: 35_000, ..RequestLimits::default() };
    let given = within(&server, limits);
    let report = given.ask_often(&Ask::get(&server.url("/")), 3).await;
    assert_eq!(report.outcome, Outcome::Done(json!(3)));
    let report = given.ask_often(&Ask::get(&server.url("/")), 4).await;
    exceeded(report, LimitKind::ReceivedBytes).await;
}

#[tokio::test]
async fn endless_interim_replies_end_the_call() {
    for interim in ["HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n"] {
        let server = Server::new(move |connection, _| async move {
            for_ever(connection, "", interim.repeat(100).as_bytes(), Duration::ZERO).await;
        })
        .await;
        let report = Given::host(&server.url("")).get(&server.url("/")).await;
        let report = exceeded(report, LimitKind::HeaderBytes).await;
        assert_eq!(report.receipt.requests[0].status, None);
        let message = report.outcome.message(&report.receipt);
        assert!(message.contains("headers"), "{message}");
    }
}

#[tokio::test]
async fn a_few_interim_replies_are_passed_over() {
    let interim = "HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n".repeat(100);
    let server = Server::saying([interim.as_bytes(), &reply("x", b"hello")].concat()).await;
    let report = Given::host(&server.url("")).get(&server.url("/")).await;
    assert_eq!(Answer::of(&report).text(), "hello");
}

#[tokio::test]
async fn what_frames_a_body_is_bounded_too() {
    const CHUNKED: &str = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
    static CHUNKS: std::sync::LazyLock<Vec<u8>> = std::sync::LazyLock::new(|| b"1\r\nx\r\n".repeat(5000));
    let server = Server::new(|connection, _| for_ever(connection, CHUNKED, &CHUNKS, Duration::ZERO)).await;
    let limits = RequestLimits { received_bytes: 1 << 20, ..RequestLimits::default() };
    let report = within(&server, limits).get(&server.url("/")).await;
    let report = exceeded(report, LimitKind::ReceivedBytes).await;
    let received = report.receipt.requests[0].bytes_in;
    assert!(received < 1 << 20, "{received}");
}

#[tokio::test]
async fn the_headers_that_a_guest_makes_the_host_hold_are_bounded_together() {
    let server = Server::echoing().await;
    let given = Given::host(&server.url(""));
    let value = base64::engine::general_purpose::STANDARD.encode([b'v'; 60 << 10]);
    for as_requests in [false, true] {
        let hoard = |times: u32| {
            given.call("hoard", json!({"value": &value, "times": times, "as_requests": as_requests}))
        };
        assert_eq!(hoard(100).await.outcome, Outcome::Done(json!(100)));
        let report = exceeded(hoard(1500).await, LimitKind::HeaderBytes).await;
        let Outcome::Exceeded(Exceeded { limit, used, .. }) = report.outcome else { unreachable!() };
        assert_eq!(limit, 8 << 20);
        // Sixteen more at most.
        assert!(used < limit + (1 << 20), "{used}");
    }
}

#[tokio::test]
async fn endless_headers_end_the_call() {
    for again in [b"x-more: and more\r\n".to_vec(), [b'x'; 500].to_vec()] {
        let server = Server::new(move |connection, _| {
            let again = again.clone();
            async move { for_ever(connection, "HTTP/1.1 200 OK\r\n", &again, Duration::ZERO).await }
        })
        .await;
        let report = within(&server, RequestLimits::default()).get(&server.url("/")).await;
        exceeded(report, LimitKind::HeaderBytes).await;
    }
}

#[tokio::test]
async fn headers_beyond_a_low_limit_end_the_call_both_ways() {
    let server = Server::saying(format!("HTTP/1.1 200 OK\r\nx: {}\r\n\r\n", "y".repeat(1000))).await;
    let limits = RequestLimits { header_bytes: 500, ..RequestLimits::default() };
    let given = within(&server, limits);
    exceeded(given.get(&server.url("/")).await, LimitKind::HeaderBytes).await;
    let long = "y".repeat(1000);
    let heard = server.heard().len();
    let headers = [("x", long.as_str())];
    let report = given.ask(&Ask { headers: &headers, ..Ask::get(&server.url("/")) }).await;
    exceeded(report, LimitKind::HeaderBytes).await;
    assert_eq!(server.heard().len(), heard);
    // More than the host keeps of them at all.
    let longer = "y".repeat(200_000);
    let headers = [("x", longer.as_str())];
    let report = given.ask(&Ask { headers: &headers, ..Ask::get(&server.url("/")) }).await;
    exceeded(report, LimitKind::HeaderBytes).await;
    let report = Given::default().ask(&Ask { headers: &headers, ..Ask::get(&server.url("/")) }).await;
    exceeded(report, LimitKind::HeaderBytes).await;
}

#[tokio::test]
async fn a_reply_that_drips_ends_the_call_in_its_time() {
    let drip = Duration::from_millis(10);
    for begin in [UNTIL_CLOSED, "HTTP/1.1 200 OK\r\nx: "] {
        let server = Server::new(move |connection, _| for_ever(connection, begin, b"x", drip)).await;
        let limits = RequestLimits { time_ms: 200, ..RequestLimits::default() };
        let report = within(&server, limits).get(&server.url("/")).await;
        let report = exceeded(report, LimitKind::RequestTime).await;
        assert!(report.receipt.requests[0].ms >= 200, "{:?}", report.receipt.requests);
    }
}

#[tokio::test]
async fn a_server_that_says_nothing_ends_the_call_in_its_time() {
    let server = Server::new(|connection, _| async move {
        sleep(Duration::from_secs(600)).await;
        drop(connection);
    })
    .await;
    let limits = RequestLimits { time_ms: 100, ..RequestLimits::default() };
    exceeded(within(&server, limits).get(&server.url("/")).await, LimitKind::RequestTime).await;
    let given = Given { time_ms: Some(100), ..Given::host(&server.url("")) };
    exceeded(given.get(&server.url("/")).await, LimitKind::Time).await;
}

struct Never;

impl Resolve for Never {
    fn resolve(&self, _name: &str) -> Addresses {
        Box::pin(std::future::pending())
    }
}

#[tokio::test]
async fn a_guest_is_told_when_connecting_takes_too_long() {
    let limits = RequestLimits { connect_ms: 50, ..RequestLimits::default() };
    let given = Given { limits, egress: resolving(Never), ..Given::host("http://api.example.com") };
    assert_eq!(failed(&given.get("http://api.example.com/").await), code::CONNECTION_TIMEOUT);
    let limits = RequestLimits { time_ms: 50, ..RequestLimits::default() };
    let given = Given { limits, ..given };
    exceeded(given.get("http://api.example.com/").await, LimitKind::RequestTime).await;
}

#[tokio::test]
async fn a_compressed_reply_stays_compressed() {
    // The beginning of what would unpack to far more.
    let packed = [&[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 3][..], &[0xed; 500]].concat();
    let head =
        format!("HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: {}\r\n\r\n", packed.len());
    let server = Server::saying([head.as_bytes(), &packed].concat()).await;
    let report = within(&server, RequestLimits::default()).get(&server.url("/")).await;
    let answer = Answer::of(&report);
    assert_eq!((answer.header("content-encoding"), answer.body == packed), (Some("gzip"), true));
    assert_eq!(report.receipt.requests[0].bytes_in, packed.len() as u64);
}

#[tokio::test]
async fn a_call_is_cancelled_in_the_middle_of_a_reply() {
    let server =
        Server::new(|connection, _| for_ever(connection, UNTIL_CLOSED, b"x", Duration::from_millis(5))).await;
    let until_asked = async {
        while server.heard().is_empty() {
            sleep(Duration::from_millis(5)).await;
        }
        sleep(Duration::from_millis(50)).await;
    };
    let report = Given::host(&server.url("")).get_until(&server.url("/"), until_asked).await;
    assert_eq!(report.outcome, Outcome::Cancelled);
    assert_eq!(report.receipt.requests.len(), 1);
    others_go_on().await;
}

#[tokio::test]
async fn a_server_that_goes_away_is_an_error_of_the_guest_s() {
    for (said, seen) in [
        ("", code::RESPONSE_INCOMPLETE),
        ("HTTP/1.1 200 OK\r\nx", code::RESPONSE_INCOMPLETE),
        ("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhello", code::STREAM_FAILED),
        ("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n", code::STREAM_FAILED),
        ("SSH-2.0-OpenSSH_9.2\r\n", code::PROTOCOL),
        ("HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n", code::PROTOCOL),
        (
            "HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n",
            code::UPGRADE_FAILED,
        ),
    ] {
        let server = Server::saying(said).await;
        let report = Given::host(&server.url("")).get(&server.url("/")).await;
        assert_eq!(failed(&report), seen, "{said:?}");
        others_go_on().await;
    }
}

#[tokio::test]
async fn nobody_listening_is_an_error_of_the_guest_s() {
    // Bound, so that no other test gets the port, but not listening.
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let gone = format!("http://{}", socket.local_addr().unwrap());
    let report = Given::host(&gone).get(&format!("{gone}/")).await;
    assert_eq!(failed(&report), code::CONNECTION_REFUSED);
}
