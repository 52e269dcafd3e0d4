//! `deploy/compose.yml` as processes of this machine: its commands with its variables, its balancer,
//! and the names and ports by which its services find each other. Images are not run.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::Value;
use yaml_rust2::{Yaml, YamlLoader};

use crate::chaos::find_address;
use crate::fleet::{Fleet, Server, wait_until};
use crate::nats::NatsServer;
use crate::postgres::Postgres;
use crate::s3::S3Server;

/// The secrets of `deploy/.env`.
const SECRETS: [(&str, &str); 3] = [
    ("POSTGRES_PASSWORD", "0badcafe"),
    ("NATS_PASSWORD", "0badf00d"),
    ("S3_SECRET", "0badbeef"),
];

/// Where the images of others listen.
const PORTS: [(&str, u16); 3] = [("database", 5432), ("bus", 4222), ("objects", 7070)];

fn read(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    fs::read_to_string(root.join(path)).expect(path)
}

/// The compose file, with the values of its variables.
struct Compose {
    file: Yaml,
    values: BTreeMap<String, String>,
}

/// A service, with the keys that it has from another one by `<<`.
struct Service<'a> {
    keys: Vec<&'a Yaml>,
    compose: &'a Compose,
}

impl Compose {
    fn read() -> Compose {
        let mut files = YamlLoader::load_from_str(&read("deploy/compose.yml")).expect("YAML");
        assert_eq!(files.len(), 1);
        let values = SECRETS.map(|(name, value)| (name.to_owned(), value.to_owned()));
        Compose {
            file: files.remove(0),
            values: values.into(),
        }
    }

    fn names(&self) -> Vec<&str> {
        let services = self.file["services"].as_hash().expect("services");
        services.keys().filter_map(Yaml::as_str).collect()
    }

    fn service(&self, name: &str) -> Service<'_> {
        let own = &self.file["services"][name];
        assert!(!own.is_badvalue(), "there is no service {name}");
        let keys = [own, &own["<<"]].to_vec();
        Service {
            keys,
            compose: self,
        }
    }

    /// Puts in values: `${NAME}`, `${NAME:-usual}`, `${NAME:?what to do}`.
    fn expand(&self, text: &str) -> String {
        let Some((before, rest)) = text.split_once("${") else {
            return text.to_owned();
        };
        let (inner, after) = rest.split_once('}').expect("it ends");
        let (name, other) = inner.split_once(':').unwrap_or((inner, "?"));
        let value = match (self.values.get(name), other.strip_prefix('-')) {
            (Some(value), _) => value,
            (None, Some(usual)) => usual,
            (None, None) => panic!("the head of the file makes no {name}"),
        };
        format!("{before}{value}{}", self.expand(after))
    }
}

impl Service<'_> {
    fn key(&self, name: &str) -> Option<&Yaml> {
        let mut found = self.keys.iter().map(|keys| &keys[name]);
        found.find(|value| !value.is_badvalue())
    }

    fn list(&self, name: &str) -> Vec<String> {
        let list = self.key(name).and_then(Yaml::as_vec);
        let words = list.into_iter().flatten().map(|word| word.as_str());
        words
            .map(|word| self.compose.expand(word.expect("text")))
            .collect()
    }

    fn environment(&self) -> BTreeMap<String, String> {
        let all = self.key("environment").and_then(Yaml::as_hash);
        let pairs = all.into_iter().flatten();
        pairs
            .map(|(name, value)| {
                let value = self.compose.expand(value.as_str().expect("text"));
                (name.as_str().expect("a name").to_owned(), value)
            })
            .collect()
    }
}

/// The port at which the image of the server listens.
fn port_of_the_image() -> u16 {
    let dockerfile = read("deploy/Dockerfile");
    let (_, rest) = dockerfile.split_once("LEITAI_LISTEN=0.0.0.0:").expect("it");
    let port = rest
        .split_whitespace()
        .next()
        .and_then(|port| port.parse().ok());
    port.expect("a port")
}

#[test]
fn services_of_the_compose_file_are_named_as_they_are() {
    let compose = Compose::read();
    let names = compose.names();
    let ports: BTreeMap<&str, u16> = PORTS
        .into_iter()
        .chain(["server-1", "server-2"].map(|name| (name, port_of_the_image())))
        .collect();
    let check_address = |by: &str, address: &str| {
        let (name, port) = address.split_once(':').unwrap_or((address, ""));
        let expected = ports.get(name);
        assert!(names.contains(&name), "{by}: there is no service {name}");
        assert!(
            port.is_empty() || port.parse().ok().as_ref() == expected,
            "{by}: {name} listens at {expected:?}, not at {port}"
        );
    };
    let declared = compose.file["volumes"].as_hash().expect("volumes");
    for name in &names {
        let service = compose.service(name);
        for value in service
            .environment()
            .values()
            .filter(|value| !value.starts_with("s3:"))
        {
            for url in value.split(',').filter(|url| url.contains("://")) {
                let (_, rest) = url.split_once("://").expect("filtered");
                let rest = rest.rsplit('@').next().expect("one part at least");
                let host = rest.split('/').next().expect("one part at least");
                if !host.starts_with("localhost") {
                    check_address(name, host);
                }
            }
        }
        if let Some(after) = service.key("depends_on").and_then(Yaml::as_hash) {
            after
                .keys()
                .for_each(|other| check_address(name, other.as_str().expect("a name")));
        }
        for volume in service.list("volumes") {
            let (from, _) = volume.split_once(':').expect("from and to");
            match from.strip_prefix("./") {
                Some(file) => drop(read(&format!("deploy/{file}"))),
                None => assert!(
                    declared.contains_key(&Yaml::String(from.to_owned())),
                    "{from}"
                ),
            }
        }
    }
    let caddyfile = read("deploy/Caddyfile");
    let mut lines = caddyfile.lines().map(str::trim);
    let upstreams = lines.find_map(|line| line.strip_prefix("reverse_proxy "));
    let upstreams = upstreams.expect("it").trim_end_matches(" {").split(' ');
    upstreams.for_each(|upstream| check_address("Caddyfile", upstream));
    let published = &compose.service("balancer").list("ports")[0];
    let (_, inner) = published.split_once(':').expect("outer and inner");
    assert!(caddyfile.contains(&format!("\n:{inner} {{\n")), "{inner}");
}

/// The parts of the file as processes.
struct Parts {
    compose: Compose,
    fleet: Fleet,
    /// The host names of the file, and where they are on this machine.
    places: Vec<(String, String)>,
}

impl Parts {
    fn start() -> Option<Parts> {
        let compose = Compose::read();
        let postgres = Postgres::shared()?;
        let database = compose.service("database").environment();
        assert_eq!(database["POSTGRES_USER"], "leitai", "as the test has it");
        let address = postgres.database(&database["POSTGRES_DB"]);
        let nats = NatsServer::start_with_words(&compose.service("bus").list("command"))?;
        let objects = S3Server::start()?;
        let volume = &compose.service("objects").list("volumes")[0];
        objects.make_bucket(volume.rsplit('/').next().expect("the folder of a bucket"));
        let (_, socket) = address.split_once('@').expect("a user");
        let (socket, _) = socket.split_once('/').expect("a database");
        let (_, bus) = nats.url().split_once('@').map(owned).expect("a user");
        let places = vec![
            ("@database".to_owned(), format!("@{socket}")),
            ("@bus".to_owned(), format!("@{bus}")),
            (
                "http://objects:7070".to_owned(),
                objects.variables("", "").remove(0).1,
            ),
        ];
        let variables = find_places(&places, compose.service("server-1").environment());
        Some(Parts {
            fleet: Fleet::of_parts(address, nats, objects, variables),
            compose,
            places,
        })
    }

    fn words(&self, service: &str) -> Vec<String> {
        self.compose.service(service).list("command")
    }

    fn serve(&mut self, name: &str) -> Server {
        let address = find_address();
        let listen = owned_words(&["--listen", &address]);
        let words = [self.words(name), listen].concat();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let mut server = self.fleet.launch_with(&words, name, "").wait_for_greeting();
        // It greets with its public address, which is the balancer's.
        server.address.clone_from(&address);
        let name = format!("{name}:{}", port_of_the_image());
        self.places.push((name, address));
        server
    }
}

fn owned((left, right): (&str, &str)) -> (String, String) {
    (left.to_owned(), right.to_owned())
}

fn owned_words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// Variables with the places of this machine in place of host names.
fn find_places(
    places: &[(String, String)],
    variables: BTreeMap<String, String>,
) -> Vec<(String, String)> {
    let find = |value: String| {
        places
            .iter()
            .fold(value, |value, (name, place)| value.replace(name, place))
    };
    variables
        .into_iter()
        .map(|(name, value)| (name, find(value)))
        .collect()
}

/// Caddy with the file of the balancer, killed when the value is dropped.
struct Balancer {
    process: Child,
    address: String,
    _folder: tempfile::TempDir,
}

impl Balancer {
    /// `None` where Caddy is not installed.
    fn start(places: &[(String, String)]) -> Option<Balancer> {
        let address = find_address();
        let mut file =
            read("deploy/Caddyfile").replace("\n:8080 {", &format!("\nhttp://{address} {{"));
        for (name, place) in places.iter().filter(|(name, _)| name.starts_with("server")) {
            file = file.replace(name, place);
        }
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("Caddyfile");
        fs::write(&path, format!("{{\n\tadmin off\n}}\n{file}")).expect("own folder");
        let started = Command::new("caddy")
            .args(["run", "--adapter", "caddyfile", "--config"])
            .arg(path)
            .env("HOME", folder.path())
            .env_remove("XDG_CONFIG_HOME")
            .stderr(Stdio::null())
            .spawn();
        let Ok(process) = started else {
            eprintln!("NOT TESTED: deploy/Caddyfile, as there is no caddy");
            return None;
        };
        Some(Balancer {
            process,
            address,
            _folder: folder,
        })
    }
}

impl Drop for Balancer {
    fn drop(&mut self) {
        // It may have ended already.
        _ = self.process.kill();
        _ = self.process.wait();
    }
}

/// A match that was played, as the server at this address has it.
fn find_finished(address: &str) -> Option<Value> {
    let url = format!("http://{address}/api/matches?state=finished&limit=1");
    let mut answer = ureq::get(url).call().ok()?;
    let page: Value = answer.body_mut().read_json().ok()?;
    page["items"].get(0).cloned()
}

#[test]
fn commands_of_the_compose_file_make_an_arena() {
    let Some(mut parts) = Parts::start() else {
        return;
    };
    // Workers play what the arena plays by itself.
    parts.fleet.set_variable("LEITAI_NO_EXHIBITIONS", "false");
    let servers = ["server-1", "server-2"].map(|name| parts.serve(name));
    // The head of the file appends this line to the others.
    let line = parts.fleet.print_worker_token("compose");
    let (name, token) = line.trim_end().split_once('=').expect("a variable");
    parts
        .compose
        .values
        .insert(name.to_owned(), token.to_owned());
    let service = parts.compose.service("worker");
    let variables = find_places(&parts.places, service.environment());
    let words = parts.words("worker");
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let count = service
        .key("deploy")
        .and_then(|key| key["replicas"].as_i64());
    let workers: Vec<_> = (0..count.expect("a number"))
        .map(|index| {
            parts
                .fleet
                .work_with(&words, &variables, &format!("worker-{index}"))
        })
        .collect();
    for server in &servers {
        wait_until("a match is played", || {
            find_finished(&server.address).is_some()
        });
    }
    let Some(balancer) = Balancer::start(&parts.places) else {
        return;
    };
    wait_until("the balancer answers", || {
        find_finished(&balancer.address).is_some()
    });
    let [one, _two] = servers;
    one.process.kill();
    for _ in 0..4 {
        assert!(
            find_finished(&balancer.address).is_some(),
            "the other server answers"
        );
    }
    drop(workers);
}
