//! `--model`

use std::fmt;
use std::str::FromStr;

/// A model as it is named on the command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelSpec {
    /// The built-in playbook.
    Playbook,
    /// The Messages API; with no id, the default model.
    Anthropic(Option<String>),
    /// A server that speaks the chat completions API.
    OpenAi(String),
}

impl FromStr for ModelSpec {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (provider, model) = match text.split_once(':') {
            Some((_, "")) => return Err("there is no model after the colon".to_owned()),
            Some((provider, model)) => (provider, Some(model.to_owned())),
            None => (text, None),
        };
        match (provider, model) {
            ("playbook", None) => Ok(Self::Playbook),
            ("playbook", Some(_)) => {
                Err("the playbook has no models to choose from: say `playbook`".to_owned())
            }
            ("anthropic", model) => Ok(Self::Anthropic(model)),
            ("openai", Some(model)) => Ok(Self::OpenAi(model)),
            ("openai", None) => Err("name a model that the server has: openai:MODEL".to_owned()),
            _ => Err("want anthropic, anthropic:MODEL, openai:MODEL or playbook".to_owned()),
        }
    }
}

impl fmt::Display for ModelSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Playbook => f.write_str("playbook"),
            Self::Anthropic(None) => f.write_str("anthropic"),
            Self::Anthropic(Some(model)) => write!(f, "anthropic:{model}"),
            Self::OpenAi(model) => write!(f, "openai:{model}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ModelSpec;

    #[test]
    fn a_model_is_read_as_it_is_written() {
        for text in ["playbook", "anthropic", "anthropic:claude-x", "openai:llama3:8b"] {
            assert_eq!(text.parse::<ModelSpec>().map(|spec| spec.to_string()).as_deref(), Ok(text));
        }
        for text in ["", "openai", "openai:", "anthropic:", "playbook:x", "gpt", "Anthropic"] {
            assert!(text.parse::<ModelSpec>().is_err(), "{text}");
        }
    }
}
