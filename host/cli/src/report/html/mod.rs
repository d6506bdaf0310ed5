//! A report as one HTML file: no script, nothing from the network, nothing but text from strangers.
//!
//! Owns the page and its escaping. Doesn't own the picture of the packages (`picture`) or what is
//! said (`Report`).

mod findings;
mod record;

use super::{Report, Source, Statement, Status, picture};
use ringfence_models::playbook::analyst::{Evidence, Item, plural};
use std::fmt::{Display, Write};

const STYLE: &str = include_str!("style.css");
/// So many parts of a statement are shown.
const SHOWN: usize = 60;
/// So many places are cited in one go.
const CITED: usize = 6;
/// Most characters of one text: a name of a megabyte is a trick, not a name.
const TEXT: usize = 4_000;

/// The report as a page.
pub fn html(report: &Report) -> String {
    let mut page = String::with_capacity(64 * 1024);
    let name = report.project.rsplit('/').find(|part| !part.is_empty()).unwrap_or("the project");
    page.push_str("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    page.push_str(
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">\n",
    );
    page.push_str("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    put(&mut page, format_args!("<title>Report on {}</title>\n", escaped(name)));
    put(&mut page, format_args!("<style>\n{STYLE}</style>\n</head>\n<body>\n"));
    head(&mut page, report, name);
    section(&mut page, "stack", "What it is built with", &report.stack, "Nothing was found out.");
    structure(&mut page, report);
    findings::findings(&mut page, report);
    section(&mut page, "coverage", "How sure this is", &report.coverage, "Nothing is known of it.");
    record::record(&mut page, report);
    page.push_str("</body>\n</html>\n");
    page
}

fn head(page: &mut String, report: &Report, name: &str) {
    put(page, format_args!("<h1>Report on {}</h1>\n", escaped(name)));
    put(page, format_args!("<p>{}</p>\n", escaped(&report.goal)));
    put(page, format_args!("<p><strong>{}</strong></p>\n", escaped(&report.outcome.text)));
    if report.outcome.status != Status::Finished {
        page.push_str("<p>The run did not finish: this is what it had found out by then.</p>\n");
    }
    put(
        page,
        format_args!(
            "<p class=\"soft\">Model {} · flow {} · run <code>{}</code> · {} to {}</p>\n",
            escaped(&report.model),
            escaped(&report.flow),
            escaped(&report.run),
            escaped(&report.started),
            escaped(&report.latest),
        ),
    );
    let counts = report.counts;
    page.push_str("<div class=\"counts\">");
    for (class, count) in
        [("high", counts.high), ("medium", counts.medium), ("low", counts.low), ("info", counts.info)]
    {
        put(page, format_args!("<span class=\"{class}\"><b>{count}</b>{class}</span>"));
    }
    page.push_str("</div>\n<nav aria-label=\"Contents\">");
    for (id, title) in [
        ("stack", "Built with"),
        ("structure", "Structure"),
        ("findings", "Problems"),
        ("coverage", "How sure"),
        ("record", "Record"),
    ] {
        put(page, format_args!("<a href=\"#{id}\">{title}</a>"));
    }
    page.push_str("</nav>\n");
    if let Some(answer) = &report.answer {
        page.push_str("<h2>Answer</h2>\n<p class=\"soft\">In the words of the model, or of whoever edited it; nothing of it was checked.</p>\n");
        put(page, format_args!("<pre class=\"model\">{}</pre>\n", escaped(answer)));
    }
}

fn structure(page: &mut String, report: &Report) {
    let picture = report.graph.as_ref().map(picture::svg).unwrap_or_default();
    section(page, "structure", "How it is put together", &report.modules, "Nothing was found out.");
    let Some(graph) = report.graph.as_ref().filter(|_| !picture.is_empty()) else { return };
    page.push_str("<h3>Packages and their imports</h3>\n<p class=\"soft\">Who imports stands above what is imported. A wider box holds more code; a dashed one isn't part of the product; red imports run in a circle.</p>\n");
    put(page, format_args!("<div class=\"wide\">{picture}</div>\n"));
    if graph.omitted > 0 {
        let omitted = plural(graph.omitted.into(), "package");
        put(page, format_args!("<p class=\"soft\">{omitted} not listed.</p>\n"));
    }
    for cycle in graph.cycles.iter().take(CITED) {
        put(page, format_args!("<p>They import each other: {}.</p>\n", escaped(&cycle.join(", "))));
    }
}

fn section(page: &mut String, id: &str, title: &str, statements: &[Statement], empty: &str) {
    put(page, format_args!("<h2 id=\"{id}\">{title}</h2>\n"));
    if statements.is_empty() {
        put(page, format_args!("<p>{empty}</p>\n"));
    }
    for told in statements {
        let (class, who) = match told.source {
            Source::Analyst => ("told", ""),
            Source::Model => ("model", "<em>The model says:</em> "),
        };
        put(
            page,
            format_args!(
                "<p class=\"{class}\">{who}{} <span class=\"place\">{}</span></p>\n",
                prose(&told.text),
                places(&told.evidence)
            ),
        );
        parts(page, told);
    }
}

fn parts(page: &mut String, told: &Statement) {
    if told.items.is_empty() {
        return;
    }
    let total = told.items.len() + told.omitted as usize;
    put(
        page,
        format_args!(
            "<details><summary>{}</summary>\n",
            plural(total as u64, "entry").replace("entrys", "entries")
        ),
    );
    page.push_str("<div class=\"wide\"><table><tr><th>What</th><th>More</th><th>Where</th></tr>\n");
    for Item { text, detail, evidence, finding: _ } in told.items.iter().take(SHOWN) {
        put(
            page,
            format_args!(
                "<tr><td><code>{}</code></td><td>{}</td><td class=\"place\">{}</td></tr>\n",
                escaped(text),
                escaped(detail),
                place(evidence)
            ),
        );
    }
    page.push_str("</table></div>\n");
    more(page, total, SHOWN.min(told.items.len()));
    page.push_str("</details>\n");
}

fn more(page: &mut String, total: usize, shown: usize) {
    if total > shown {
        put(page, format_args!("<p class=\"soft\">… and {} more.</p>\n", total - shown));
    }
}

/// The places that support a statement.
fn places(evidence: &[Evidence]) -> String {
    let mut told: Vec<String> = evidence.iter().take(CITED).map(place).collect();
    if evidence.len() > CITED {
        told.push(format!("{} more", evidence.len() - CITED));
    }
    format!("[{}]", told.join("; "))
}

/// A place, with a link to the step that showed it.
fn place(evidence: &Evidence) -> String {
    let step = format!("<a href=\"#step-{0}\">step {0}</a>", evidence.step);
    let Some(file) = &evidence.file else { return step };
    let lines = match evidence.lines {
        Some((first, last)) if first == last => format!(":{first}"),
        Some((first, last)) => format!(":{first}–{last}"),
        None => String::new(),
    };
    format!("{}{lines}, {step}", escaped(file))
}

/// A text as HTML that is nothing but text, in an element or in a quoted attribute.
pub(super) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len().min(TEXT));
    for (at, c) in text.chars().enumerate() {
        if at == TEXT {
            safe.push('…');
            break;
        }
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            c => safe.push(c),
        }
    }
    safe
}

/// A statement as HTML: names between backticks are shown as code.
fn prose(text: &str) -> String {
    let safe = escaped(text);
    if safe.matches('`').count() % 2 == 1 {
        return safe;
    }
    let parts = safe.split('`').enumerate();
    parts
        .map(|(at, part)| if at % 2 == 1 { format!("<code>{part}</code>") } else { part.to_owned() })
        .collect()
}

/// Writes to a text, which can't fail.
fn put(page: &mut String, what: impl Display) {
    let _ = write!(page, "{what}");
}
