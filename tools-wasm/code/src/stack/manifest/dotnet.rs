//! .NET: project files, central versions, `packages.config`.

use crate::stack::found::{About, Found};
use crate::stack::model::{Ecosystem, Scope, TechnologyKind};
use crate::stack::text::Text;
use roxmltree::{Document, ParsingOptions};

pub(super) fn project(path: &str, text: &Text<'_>, found: &mut Found) {
    let before = found.dependencies.len();
    let options = ParsingOptions { nodes_limit: 200_000, ..ParsingOptions::default() };
    let document = match Document::parse_with_options(text.all, options) {
        Ok(document) => document,
        Err(error) => {
            let about = About { trouble: Some(error.to_string()), ..About::default() };
            return found.manifest(path, Ecosystem::NuGet, about, before);
        }
    };
    let mut about = About { line: 1, ..About::default() };
    for node in document.descendants().filter(|node| node.is_element()) {
        let line = text.line_of(node.range().start);
        let content = || node.text().map(|text| text.trim().to_owned());
        match node.tag_name().name() {
            "PackageReference" | "PackageVersion" => {
                let name = node.attribute("Include").or_else(|| node.attribute("Update")).unwrap_or_default();
                let below = node.children().find(|child| child.tag_name().name() == "Version");
                let version = node.attribute("Version").or_else(|| below.and_then(|child| child.text()));
                let private =
                    node.attribute("PrivateAssets").is_some_and(|value| value.eq_ignore_ascii_case("all"));
                let scope = if private { Scope::Development } else { Scope::Runtime };
                found.depends(Ecosystem::NuGet, scope, (name, version.unwrap_or_default()), (path, line));
            }
            "package" => {
                let name = node.attribute("id").unwrap_or_default();
                let version = node.attribute("version").unwrap_or_default();
                found.depends(Ecosystem::NuGet, Scope::Runtime, (name, version), (path, line));
            }
            "TargetFramework" | "TargetFrameworks" | "TargetFrameworkVersion" => {
                let version = content();
                found.uses(TechnologyKind::Runtime, (".NET", version.as_deref()), (path, line), text);
            }
            "PackageId" | "AssemblyName" if about.name.is_none() => {
                about.name = content();
                about.line = line;
            }
            "Version"
                if about.version.is_none()
                    && node.parent().is_some_and(|above| above.tag_name().name() == "PropertyGroup") =>
            {
                about.version = content();
            }
            "Description" => about.description = content(),
            "PackageLicenseExpression" => about.license = content(),
            _ => {}
        }
    }
    if about.name.is_none() {
        let file = path.rsplit('/').next().unwrap_or(path);
        about.name =
            file.rsplit_once('.').filter(|(_, end)| end.ends_with("proj")).map(|(stem, _)| stem.to_owned());
    }
    found.manifest(path, Ecosystem::NuGet, about, before);
}
