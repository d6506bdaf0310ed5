//! Possible problems on the page: one that folds for each kind, those in product code first.

use super::{SHOWN, escaped, more, place, places, put};
use crate::report::{Report, Source, Statement};
use ringfence_models::playbook::analyst::{Confidence, Item, Severity};

/// So many of the worst are unfolded.
const OPEN: usize = 5;

pub(super) fn findings(page: &mut String, report: &Report) {
    page.push_str("<h2 id=\"findings\">What to worry about first</h2>\n");
    if report.findings.is_empty() {
        page.push_str("<p>None is listed; whether they were looked for, and how far, stands below.</p>\n");
    }
    let (product, apart): (Vec<_>, Vec<_>) = report.findings.iter().partition(|told| told.in_product());
    for (at, told) in product.into_iter().enumerate() {
        finding(page, told, at < OPEN && told.severity >= Some(Severity::Medium));
    }
    if !apart.is_empty() {
        page.push_str("<h3>Only in tests, examples and tooling</h3>\n");
    }
    for told in apart {
        finding(page, told, false);
    }
}

fn finding(page: &mut String, told: &Statement, open: bool) {
    let severity = told.severity.map_or("info", Severity::name);
    let open = if open { " open" } else { "" };
    put(
        page,
        format_args!(
            "<details{open}><summary><span class=\"mark {severity}\">{severity}</span> {}</summary>\n",
            escaped(&told.text)
        ),
    );
    facts(page, told);
    if let Some(why) = &told.why {
        put(page, format_args!("<p>{}</p>\n", escaped(why)));
    }
    if let Some(fix) = told.rule.as_ref().map(|card| &card.fix).filter(|fix| !fix.is_empty()) {
        put(page, format_args!("<p><strong>Instead:</strong> {}</p>\n", escaped(fix)));
    }
    if told.items.is_empty() {
        put(page, format_args!("<p class=\"place\">{}</p>\n", places(&told.evidence)));
    }
    for item in told.items.iter().take(SHOWN) {
        spot(page, item);
    }
    more(page, told.items.len() + told.omitted as usize, SHOWN.min(told.items.len()));
    for remark in &told.remarks {
        put(page, format_args!("<p class=\"model\"><em>The model adds:</em> {}</p>\n", escaped(remark)));
    }
    page.push_str("</details>\n");
}

fn facts(page: &mut String, told: &Statement) {
    let mut facts: Vec<String> = Vec::new();
    facts.extend(told.concern.map(|concern| concern.name().to_owned()));
    match told.source {
        Source::Analyst => facts.push(format!("rule <code>{}</code>", escaped(&told.topic))),
        Source::Model => facts.push("<em>found by the model</em>".to_owned()),
    }
    if let Some(card) = &told.rule {
        let confidence = match card.confidence {
            Confidence::Low => "low",
            Confidence::Medium => "medium",
            Confidence::High => "high",
        };
        facts.push(format!("confidence {confidence}"));
        facts.extend(card.cwe.as_deref().map(escaped));
    }
    put(page, format_args!("<p class=\"soft\">{}</p>\n", facts.join(" · ")));
}

fn spot(page: &mut String, item: &Item) {
    let apart = item.finding.as_ref().map(|finding| finding.setting.as_str());
    let apart = apart
        .filter(|setting| *setting != "product")
        .map_or_else(String::new, |setting| format!(" · {}", escaped(setting)));
    put(
        page,
        format_args!(
            "<div class=\"place\">{}{apart}</div>\n<pre>{}</pre>\n",
            place(&item.evidence),
            escaped(item.text.trim_end())
        ),
    );
}
