//! Where a match that is under way may have come to.

/// More than these aren't followed.
const MOST: usize = 16;

/// Places in a text, each once.
#[derive(Debug, Clone, Copy)]
pub(super) struct Places {
    all: [usize; MOST],
    count: usize,
}

impl Places {
    pub(super) fn none() -> Self {
        Self { all: [0; MOST], count: 0 }
    }

    pub(super) fn one(at: usize) -> Self {
        let mut places = Self::none();
        places.add(at);
        places
    }

    pub(super) fn add(&mut self, at: usize) {
        if self.iter().any(|known| known == at) {
            return;
        }
        if let Some(free) = self.all.get_mut(self.count) {
            *free = at;
            self.count += 1;
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = usize> {
        self.all.iter().take(self.count).copied()
    }

    /// The last one.
    pub(super) fn furthest(&self) -> Option<usize> {
        self.iter().max()
    }
}
