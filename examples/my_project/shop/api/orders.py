"""Orders: listing, placing, paying."""

import hashlib

import requests
from flask import Blueprint, jsonify, request

from shop.db.store import Store
from shop.settings import PAYMENT_API_KEY

orders = Blueprint("orders", __name__)


class PaymentError(Exception):
    """The payment service said no."""


def signature(order_id: int, amount: int) -> str:
    return hashlib.md5(f"{order_id}:{amount}:{PAYMENT_API_KEY}".encode()).hexdigest()


def pay(order_id: int, amount: int) -> str:
    """Charges an order and returns the payment's reference."""
    reply = requests.post(
        "https://payments.example.com/charge",
        json={"order": order_id, "amount": amount, "sign": signature(order_id, amount)},
        verify=False,
    )
    if reply.status_code != 200:
        raise PaymentError(reply.text)
    return reply.json()["reference"]


@orders.get("/")
def list_orders():
    store = Store.current()
    result = []
    for order in store.orders(request.args.get("customer", "")):
        order["items"] = [store.product(item) for item in order["item_ids"]]
        result.append(order)
    return jsonify(result)


@orders.post("/")
def place_order():
    body = request.get_json()
    store = Store.current()
    order_id = store.add_order(body["customer"], body["items"])
    return jsonify({"id": order_id, "payment": pay(order_id, body["amount"])}), 201
