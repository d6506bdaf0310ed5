//! Answering deterministic calls by earlier ones: the sandbox's memos in the store's file.
//!
//! Owns: where the two meet, and that nothing about the file can fail a call. Doesn't own: which
//! answers may be given again (`ringfence-sandbox`), keeping them (`ringfence-store`).

use crate::kept_answers::{KeptAnswers, warned};
use crate::state_dir::Folders;
use ringfence_sandbox::{CallError, CallReport, CallRequest, Digest, Memo, Sandbox};
use ringfence_store::{AnswerBounds, Store};

const FILE: &str = "answers.db";

/// Answers of earlier calls, opened when the first is asked for.
pub struct Recall(KeptAnswers);

impl Recall {
    /// The answers in the user's state folder.
    pub fn of(folders: &Folders) -> Self {
        Self(KeptAnswers::of(folders, FILE, AnswerBounds::default()))
    }

    /// Makes a call, or gives the answer of an equal one that still holds. Without a place to keep
    /// answers every call is made.
    pub async fn call(
        recall: Option<&Self>,
        sandbox: &Sandbox,
        request: CallRequest,
    ) -> Result<CallReport, CallError> {
        let key = recall.and_then(|recall| Some((recall, key(sandbox, &request)?)));
        let Some((recall, key)) = key else { return sandbox.call(request).await };
        if let Some(memo) = recall.get(&key)
            && let Some(report) = sandbox.recall(memo, &request.tree).await
        {
            return Ok(report);
        }
        let report = sandbox.call(request).await?;
        let now = u64::try_from(Store::now().0).unwrap_or(0);
        if let Some(memo) = Memo::of(&report, now) {
            recall.put(&key, &memo);
        }
        Ok(report)
    }

    fn get(&self, key: &Digest) -> Option<Memo> {
        let body = self.0.open()?.get(&key.hex()).unwrap_or_else(warned)?;
        // One of another version, perhaps: then the call is made again.
        serde_json::from_slice(&body)
            .inspect_err(|error| tracing::warn!(%error, "an earlier answer can't be read; the call is made"))
            .ok()
    }

    fn put(&self, key: &Digest, memo: &Memo) {
        let Some(mut answers) = self.0.open() else { return };
        match serde_json::to_vec(memo) {
            Ok(body) => drop(answers.put(&key.hex(), &body).map_err(warned::<()>)),
            Err(error) => tracing::warn!(%error, "an answer can't be written; it isn't kept"),
        }
    }
}

/// What calls must have in common; none where this one is to be made in any case.
fn key(sandbox: &Sandbox, request: &CallRequest) -> Option<Digest> {
    if request.cancel.is_cancelled() {
        return None;
    }
    // What is wrong with the engine is better told by the call itself.
    sandbox.memo_key(request).ok()?
}
