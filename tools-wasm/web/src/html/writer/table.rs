//! Tables: rows of cells in a line, or, where a table only places things on a page, their blocks.

use super::Writer;

/// A cell with more text than this is no cell of data.
const LONG_CELL: usize = 400;

/// A table that is open.
#[derive(Debug, Default)]
pub(super) struct Table {
    /// Rows that were shown.
    rows: usize,
    /// The finished cells of the row that is open.
    row: Option<Vec<String>>,
}

impl Writer {
    /// Whether text goes into a cell.
    pub(super) fn in_row(&self) -> bool {
        self.tables.last().is_some_and(|table| table.row.is_some())
    }

    pub(in crate::html) fn table(&mut self) {
        self.leave_row();
        self.block();
        self.tables.push(Table::default());
    }

    pub(in crate::html) fn end_table(&mut self) {
        self.end_row();
        self.tables.pop();
        self.block();
    }

    pub(in crate::html) fn row(&mut self) {
        self.end_row();
        self.block();
        if let Some(table) = self.tables.last_mut() {
            table.row = Some(Vec::new());
        }
    }

    pub(in crate::html) fn cell(&mut self) {
        self.block();
    }

    pub(in crate::html) fn end_cell(&mut self) {
        if !self.in_row() {
            return self.block();
        }
        if self.line.len() > LONG_CELL {
            return self.leave_row();
        }
        self.note_link();
        let cell = std::mem::take(&mut self.line);
        self.space = false;
        if let Some(row) = self.tables.last_mut().and_then(|table| table.row.as_mut()) {
            row.push(cell.trim().replace('\n', " ").replace('|', "\\|"));
        }
    }

    pub(in crate::html) fn end_row(&mut self) {
        let Some(table) = self.tables.last_mut() else { return };
        let Some(row) = table.row.take() else { return };
        let first = table.rows == 0;
        // What stands in a row but in no cell comes after it.
        let stray = std::mem::take(&mut self.line);
        let filled = row.iter().filter(|cell| !cell.is_empty()).count();
        if row.len() < 2 || filled == 0 {
            if let Some(cell) = row.into_iter().find(|cell| !cell.is_empty()) {
                self.push("", &cell, false);
            }
        } else {
            table.rows += 1;
            let mut text = format!("| {} |", row.join(" | "));
            if first {
                text.push_str("\n|");
                text.push_str(&" --- |".repeat(row.len()));
            }
            self.push("", &text, !first);
        }
        self.line = stray;
        self.flush();
    }

    /// The row turns out to place blocks: what is in it so far becomes blocks.
    pub(super) fn leave_row(&mut self) {
        let Some(row) = self.tables.last_mut().and_then(|table| table.row.take()) else { return };
        let rest = std::mem::take(&mut self.line);
        for cell in row.into_iter().filter(|cell| !cell.is_empty()) {
            self.push("", &cell, false);
        }
        self.line = rest;
        self.flush();
    }
}
