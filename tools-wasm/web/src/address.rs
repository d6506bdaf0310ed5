//! Addresses: which can be asked for, and how one is shown in a message.

use crate::failure::Failure;
use crate::seen::is_unseen;
use url::Url;

/// The longest address, in bytes.
const LONGEST: usize = 8 << 10;
const SHOWN: usize = 300;

/// Reads an address as a caller gives it.
pub(crate) fn parse(text: &str) -> Result<Url, Failure> {
    let text = text.trim();
    if text.len() > LONGEST {
        return Err(Failure::InvalidUrl(format!("{}: longer than {LONGEST} bytes", shown(text))));
    }
    let url = Url::parse(text).map_err(|error| match error {
        url::ParseError::RelativeUrlWithoutBase => {
            Failure::InvalidUrl(format!("{}: not absolute; begin it with `https://`", shown(text)))
        }
        url::ParseError::IdnaError => Failure::InvalidUrl(format!(
            "{}: the host's name can't be used; write names outside of ASCII in their `xn--` form",
            shown(text)
        )),
        other => Failure::InvalidUrl(format!("{}: {other}", shown(text))),
    })?;
    usable(url)
}

/// Where `location`, in an answer from `from`, leads.
pub(crate) fn follow(from: &Url, location: &str) -> Result<Url, Failure> {
    let bad = |why: &str| {
        let (from, to) = (shown(from.as_str()), shown(location));
        Failure::InvalidUrl(format!("{from} redirects to {to}: {why}"))
    };
    if location.len() > LONGEST {
        return Err(bad("too long"));
    }
    let url = from.join(location).map_err(|error| bad(&error.to_string()))?;
    usable(url)
}

fn usable(mut url: Url) -> Result<Url, Failure> {
    let bad = |why: &str| Failure::InvalidUrl(format!("{}: {why}", shown(url.as_str())));
    if !matches!(url.scheme(), "http" | "https") {
        return Err(bad("only `http://` and `https://` can be fetched"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(Failure::InvalidUrl("an address with a user's name or password is not fetched".into()));
    }
    if url.host_str().is_none_or(str::is_empty) {
        return Err(bad("it names no host"));
    }
    url.set_fragment(None);
    Ok(url)
}

/// `text` in back-ticks, without what could disturb a reader, cut.
pub(crate) fn shown(text: &str) -> String {
    let mut out = String::from("`");
    for c in text.chars().filter(|c| !is_unseen(*c) && !c.is_control()) {
        if out.len() > SHOWN {
            out.push('…');
            break;
        }
        out.push(c);
    }
    out.push('`');
    out
}
