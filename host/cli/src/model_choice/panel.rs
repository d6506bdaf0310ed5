//! Several models, each for its stages and experts.

use async_trait::async_trait;
use ringfence_models::{Model, ModelError, Price, Reply, Request, Spending};
use std::collections::BTreeMap;
use std::sync::Arc;

/// An expert's own model comes first, then the stage's, then the default.
pub(super) struct Panel {
    pub(super) default: Arc<dyn Model>,
    pub(super) stages: BTreeMap<String, Arc<dyn Model>>,
    pub(super) experts: BTreeMap<String, Arc<dyn Model>>,
}

impl Panel {
    fn of(&self, stage: &str, expert: Option<&str>) -> &Arc<dyn Model> {
        let expert = expert.and_then(|name| self.experts.get(name));
        expert.or_else(|| self.stages.get(stage)).unwrap_or(&self.default)
    }
}

#[async_trait]
impl Model for Panel {
    fn identity(&self) -> String {
        let mut identity = self.default.identity();
        for (name, model) in self.stages.iter().chain(&self.experts) {
            identity.push_str(&format!(", {name}: {}", model.identity()));
        }
        identity
    }

    fn price(&self, stage: &str, expert: Option<&str>) -> Option<Price> {
        self.of(stage, expert).price(stage, expert)
    }

    fn reads_facts(&self) -> bool {
        let others = self.stages.values().chain(self.experts.values());
        self.default.reads_facts() || others.into_iter().any(|model| model.reads_facts())
    }

    fn least(&self, request: &Request) -> Spending {
        self.of(&request.stage, request.expert.as_deref()).least(request)
    }

    async fn complete(&self, request: Request) -> Result<Reply, ModelError> {
        self.of(&request.stage, request.expert.as_deref()).complete(request).await
    }
}
