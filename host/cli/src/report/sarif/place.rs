//! Files and places in them, as a log names them.

use ringfence_models::playbook::analyst::{Evidence, Item};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Most characters of a line that is shown.
const SNIPPET: usize = 400;

/// The files that results lie in.
#[derive(Default)]
pub(super) struct Files {
    places: BTreeMap<String, usize>,
    artifacts: Vec<Value>,
}

impl Files {
    /// The place, its file added to the list.
    pub(super) fn location(&mut self, evidence: &Evidence, item: Option<&Item>) -> Value {
        let uri = uri(evidence.file.as_deref().unwrap_or_default());
        let content = item.and_then(|item| item.finding.as_ref()).map(|finding| finding.content.as_str());
        let index = self.index(&uri, content);
        let mut place = json!({
            "artifactLocation": { "uri": uri, "uriBaseId": "%SRCROOT%", "index": index },
        });
        if let Some((first, last)) = evidence.lines {
            place["region"] = region(first.max(1), last, item);
        }
        json!({ "physicalLocation": place })
    }

    pub(super) fn artifacts(self) -> Vec<Value> {
        self.artifacts
    }

    fn index(&mut self, uri: &str, content: Option<&str>) -> usize {
        let index = *self.places.entry(uri.to_owned()).or_insert_with(|| {
            self.artifacts.push(json!({ "location": { "uri": uri, "uriBaseId": "%SRCROOT%" } }));
            self.artifacts.len() - 1
        });
        // BLAKE3 is in no registry of hash names, so it isn't one of SARIF's `hashes`.
        if let Some(content) = content.filter(|content| !content.is_empty()) {
            self.artifacts[index]["properties"] = json!({ "blake3": content });
        }
        index
    }
}

fn region(first: u32, last: u32, item: Option<&Item>) -> Value {
    let last = last.max(first);
    let mut region = json!({ "startLine": first, "endLine": last });
    let Some(item) = item else { return region };
    region["snippet"] = json!({ "text": super::clip(&item.text, SNIPPET) });
    if let Some(finding) = &item.finding {
        let (start, end) = (finding.columns.0.max(1), finding.columns.1.max(1));
        region["startColumn"] = json!(start);
        region["endColumn"] = json!(if first == last { end.max(start) } else { end });
    }
    region
}

/// A path inside the project as a relative reference: every byte that isn't unreserved is encoded.
fn uri(path: &str) -> String {
    let mut uri = String::with_capacity(path.len());
    let steps = path.split('/').filter(|step| !matches!(*step, "" | "." | ".."));
    for (at, step) in steps.enumerate() {
        if at > 0 {
            uri.push('/');
        }
        for byte in step.bytes() {
            match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => uri.push(byte.into()),
                other => {
                    let _ = write!(uri, "%{other:02X}");
                }
            }
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::uri;

    #[test]
    fn a_path_is_a_relative_reference_whatever_it_holds() {
        assert_eq!(uri("./src/a b#1.py"), "src/a%20b%231.py");
        assert_eq!(uri("/etc/../c:d/ü"), "etc/c%3Ad/%C3%BC");
        assert_eq!(uri("a/\"><img>"), "a/%22%3E%3Cimg%3E");
    }
}
