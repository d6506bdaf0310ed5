//! What the run did: its plan, its steps, its fence and what it used.

use super::{escaped, put};
use crate::report::Report;

pub(super) fn record(page: &mut String, report: &Report) {
    page.push_str("<h2 id=\"record\">The record</h2>\n");
    tasks(page, report);
    steps(page, report);
    fence(page, report);
    let spend = report.spend;
    put(
        page,
        format_args!(
            "<h3>Used</h3>\n<p>{} of {} iterations, {} model calls, {} tool calls, {} tokens in and {} out.</p>\n",
            spend.iterations,
            spend.iterations_limit,
            spend.model_calls,
            spend.tool_calls,
            spend.input_tokens,
            spend.output_tokens,
        ),
    );
}

fn tasks(page: &mut String, report: &Report) {
    if report.tasks.is_empty() {
        return;
    }
    page.push_str("<h3>Tasks</h3>\n<div class=\"wide\"><table><tr><th>Task</th><th>Status</th><th>What came of it</th></tr>\n");
    for task in &report.tasks {
        put(
            page,
            format_args!(
                "<tr><td><code>{}</code><br>{}</td><td>{}</td><td>{}</td></tr>\n",
                escaped(&task.id),
                escaped(&task.description),
                escaped(&task.status.replace('_', " ")),
                escaped(&task.summary),
            ),
        );
    }
    page.push_str("</table></div>\n");
}

fn steps(page: &mut String, report: &Report) {
    page.push_str("<h3>Steps</h3>\n");
    for step in &report.steps {
        put(
            page,
            format_args!(
                "<details id=\"step-{0}\"><summary>Step {0}: <code>{1}</code> — {2}</summary>\n<p class=\"soft\">task <code>{3}</code>{4}</p>\n<pre>{5}</pre>\n",
                step.step,
                escaped(&step.action),
                escaped(&step.outcome),
                escaped(&step.task),
                step.receipt
                    .as_ref()
                    .map_or_else(String::new, |id| format!(" · receipt <code>{}</code>", escaped(id))),
                escaped(&step.input.to_string()),
            ),
        );
        for (who, text) in [("", &step.message), ("Why: ", &step.reasoning), ("Judged: ", &step.summary)] {
            if !text.is_empty() {
                put(page, format_args!("<p class=\"model\">{who}{}</p>\n", escaped(text)));
            }
        }
        page.push_str("</details>\n");
    }
}

fn fence(page: &mut String, report: &Report) {
    let fence = &report.fence;
    page.push_str("<h3>Fence</h3>\n<ul>\n");
    put(page, format_args!("<li>Files opened: {}</li>\n", fence.files_opened));
    for folder in &fence.folders {
        put(page, format_args!("<li>Folder {}</li>\n", escaped(folder)));
    }
    for host in &fence.hosts {
        put(page, format_args!("<li>Host {}</li>\n", escaped(host)));
    }
    for told in &fence.granted_later {
        put(page, format_args!("<li>{}</li>\n", escaped(told)));
    }
    for (tool, digest) in &fence.components {
        put(page, format_args!("<li>{}: <code>{}</code></li>\n", escaped(tool), escaped(digest)));
    }
    for denial in &report.denials {
        put(
            page,
            format_args!(
                "<li>Refused in step {}: {} <code>{}</code>: {}</li>\n",
                denial.step,
                escaped(&denial.operation),
                escaped(&denial.asked),
                escaped(&denial.reason),
            ),
        );
    }
    for note in &report.notes {
        put(page, format_args!("<li>Note on {}: {}</li>\n", escaped(&note.stage), escaped(&note.text)));
    }
    for changed in &report.changes {
        put(
            page,
            format_args!(
                "<li>Changed: {} <code>{}</code>, {}</li>\n",
                escaped(&changed.change),
                escaped(&changed.path),
                escaped(&changed.status),
            ),
        );
    }
    page.push_str("</ul>\n");
}
