"""Products: search and discount rules."""

from flask import Blueprint, jsonify, request

from shop.db.store import Store

products = Blueprint("products", __name__)


@products.get("/")
def search():
    return jsonify(Store.current().search(request.args.get("q", "")))


@products.get("/<int:product_id>/price")
def price(product_id: int):
    product = Store.current().product(product_id)
    rule = request.args.get("rule", "price")
    return jsonify({"price": eval(rule, {}, {"price": product["price"]})})
