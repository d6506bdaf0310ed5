//! Which addresses are anybody's, and which only some network's.
//!
//! Owns the classification; whether an address may be connected to is the grant's to say.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Where an address leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// To the one host on the internet that has it.
    Public,
    /// Into this machine or a network around it, or perhaps so: a grant must say `private`.
    Private(&'static str),
    /// To the machines on the same link, where a cloud answers with its keys: a grant must name the
    /// address itself, and say `private`.
    LinkLocal(&'static str),
    /// To no single host; no grant leads there.
    Nowhere(&'static str),
}

const LINK_LOCAL: Reach = Reach::LinkLocal("a link-local address, refused unless a grant names it as such");

impl Reach {
    pub(crate) fn of(address: IpAddr) -> Self {
        match address {
            IpAddr::V4(address) => of_v4(address),
            IpAddr::V6(address) => of_v6(address),
        }
    }
}

fn of_v4(address: Ipv4Addr) -> Reach {
    let [a, b, c, _] = address.octets();
    match (a, b, c) {
        // Linux connects to itself for all of it.
        (0, ..) => Reach::Nowhere("an unspecified address"),
        (127, ..) => Reach::Private("an address of this machine"),
        (10, ..) | (172, 16..=31, _) | (192, 168, _) => Reach::Private("an address of a private network"),
        (169, 254, _) => LINK_LOCAL,
        (100, 64..=127, _) => Reach::Private("an address of a provider's network"),
        (192, 0, 0) | (192, 88, 99) => Reach::Private("an address of a protocol"),
        (198, 18..=19, _) => Reach::Private("an address for measurements"),
        (192, 0, 2) | (198, 51, 100) | (203, 0, 113) => Reach::Private("an address for documentation"),
        (224..=239, ..) => Reach::Nowhere("a multicast address"),
        (240..=255, ..) => Reach::Nowhere("a reserved address"),
        _ => Reach::Public,
    }
}

fn of_v6(address: Ipv6Addr) -> Reach {
    let segments = address.segments();
    if address.is_unspecified() {
        return Reach::Nowhere("an unspecified address");
    }
    if address.is_loopback() {
        return Reach::Private("an address of this machine");
    }
    if let Some(inner) = address.to_ipv4_mapped() {
        return within(inner, "an IPv4 address within an IPv6 one");
    }
    let last_four = {
        let [.., a, b] = segments;
        let ([a, b], [c, d]) = (a.to_be_bytes(), b.to_be_bytes());
        Ipv4Addr::new(a, b, c, d)
    };
    match segments {
        [0, 0, 0, 0, 0, 0, ..] => within(last_four, "an IPv4 address within an IPv6 one"),
        [0x64, 0xff9b, 0, 0, 0, 0, ..] => within(last_four, "an address behind a translator (NAT64)"),
        [0x64, 0xff9b, 1, ..] => Reach::Private("an address behind a translator (NAT64)"),
        [0x2002, ..] => Reach::Private("an IPv4 address within an IPv6 one (6to4)"),
        [0x2001, 0, ..] => Reach::Private("an address of a tunnel (Teredo)"),
        [0x2001, 0x0db8, ..] | [0x3fff, 0..=0x0fff, ..] => Reach::Private("an address for documentation"),
        [0x2001, 0..=0x01ff, ..] => Reach::Private("an address of a protocol"),
        [0xfc00..=0xfdff, ..] => Reach::Private("an address of a private network"),
        [0xfe80..=0xfebf, ..] => LINK_LOCAL,
        [0xfec0..=0xfeff, ..] => Reach::Private("an address of a private network"),
        [0xff00..=0xffff, ..] => Reach::Nowhere("a multicast address"),
        [0x2000..=0x3fff, ..] => Reach::Public,
        _ => Reach::Nowhere("a reserved address"),
    }
}

/// An IPv4 address that another one carries: never public, as routers differ in what they make of it.
fn within(inner: Ipv4Addr, how: &'static str) -> Reach {
    match of_v4(inner) {
        refused @ (Reach::Nowhere(_) | Reach::LinkLocal(_)) => refused,
        Reach::Public | Reach::Private(_) => Reach::Private(how),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reach(text: &str) -> Reach {
        Reach::of(text.parse().unwrap())
    }

    #[test]
    fn addresses_of_the_internet_are_public() {
        for text in [
            "1.1.1.1",
            "8.8.8.8",
            "172.15.0.1",
            "172.32.0.1",
            "100.63.0.1",
            "100.128.0.1",
            "198.20.0.1",
            "2606:4700::1111",
            "2a00:1450::1",
        ] {
            assert_eq!(reach(text), Reach::Public, "{text}");
        }
    }

    #[test]
    fn addresses_of_machines_and_networks_around_are_private() {
        for text in [
            "127.0.0.1",
            "127.255.0.9",
            "10.0.0.1",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1",
            "100.64.0.1",
            "192.0.0.8",
            "198.18.0.1",
            "192.0.2.1",
            "198.51.100.1",
            "203.0.113.1",
            "::1",
            "fc00::1",
            "fd12::1",
            "fec0::1",
            "::ffff:127.0.0.1",
            "::ffff:8.8.8.8",
            "::8.8.8.8",
            "64:ff9b::7f00:1",
            "64:ff9b:1::1",
            "2002:7f00:1::",
            "2001::1",
            "2001:db8::1",
            "3fff::1",
            "2001:20::1",
        ] {
            assert!(matches!(reach(text), Reach::Private(_)), "{text}");
        }
    }

    #[test]
    fn addresses_of_the_link_are_told_from_private_ones() {
        for text in [
            "169.254.169.254",
            "169.254.0.1",
            "fe80::1",
            "febf::1",
            "::ffff:169.254.169.254",
            "64:ff9b::a9fe:a9fe",
        ] {
            assert_eq!(reach(text), LINK_LOCAL, "{text}");
        }
    }

    #[test]
    fn some_addresses_are_no_single_host_s() {
        for text in [
            "0.0.0.0",
            "0.1.2.3",
            "224.0.0.1",
            "239.9.9.9",
            "255.255.255.255",
            "240.0.0.1",
            "::",
            "ff02::1",
            "::ffff:0.0.0.0",
            "64:ff9b::",
            "4000::1",
            "100::1",
        ] {
            assert!(matches!(reach(text), Reach::Nowhere(_)), "{text}");
        }
    }
}
