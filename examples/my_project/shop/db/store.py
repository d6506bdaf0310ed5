"""The database: products and orders in SQLite."""

import sqlite3
from typing import Any

from flask import current_app, g


class Store:
    """One connection."""

    def __init__(self, path: str) -> None:
        self.connection = sqlite3.connect(path)
        self.connection.row_factory = sqlite3.Row

    @classmethod
    def current(cls) -> "Store":
        if "store" not in g:
            g.store = cls(current_app.config["DATABASE"])
        return g.store

    def product(self, product_id: int) -> dict[str, Any]:
        row = self.connection.execute("SELECT * FROM products WHERE id = ?", (product_id,)).fetchone()
        return dict(row)

    def search(self, text: str) -> list[dict[str, Any]]:
        rows = self.connection.execute(f"SELECT * FROM products WHERE name LIKE '%{text}%'")
        return [dict(row) for row in rows]

    def orders(self, customer: str) -> list[dict[str, Any]]:
        rows = self.connection.execute("SELECT * FROM orders WHERE customer = ?", (customer,))
        return [{**dict(row), "item_ids": [int(i) for i in row["items"].split(",")]} for row in rows]

    def add_order(self, customer: str, items: list[int]) -> int:
        cursor = self.connection.execute(
            "INSERT INTO orders (customer, items) VALUES (?, ?)",
            (customer, ",".join(str(item) for item in items)),
        )
        self.connection.commit()
        return cursor.lastrowid
