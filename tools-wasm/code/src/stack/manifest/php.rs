//! PHP: `composer.json`.

use crate::stack::found::{About, Found};
use crate::stack::json::Json;
use crate::stack::model::{Ecosystem, Scope, TechnologyKind};
use crate::stack::text::Text;

pub(super) fn composer(path: &str, text: &Text<'_>, found: &mut Found) {
    let before = found.dependencies.len();
    let (json, trouble) = Json::read(text.all);
    for (group, scope) in [("require", Scope::Runtime), ("require-dev", Scope::Development)] {
        for (name, line, value) in json.get(group).into_iter().flat_map(Json::fields) {
            if name == "php" {
                found.uses(TechnologyKind::Runtime, ("PHP", value.text()), (path, *line), text);
            } else if !name.starts_with("ext-") {
                found.depends(
                    Ecosystem::Composer,
                    scope,
                    (name, value.text().unwrap_or_default()),
                    (path, *line),
                );
            }
        }
    }
    let field = |key: &str| json.get(key).and_then(Json::text).map(str::to_owned);
    let about = About {
        name: field("name"),
        version: field("version"),
        description: field("description"),
        license: field("license"),
        line: json.field("name").map_or(1, |(line, _)| line),
        trouble,
    };
    found.uses(TechnologyKind::PackageManager, ("Composer", None), (path, 1), text);
    found.manifest(path, Ecosystem::Composer, about, before);
}
