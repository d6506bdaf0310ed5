"""Starts the service."""

from flask import Flask

from shop.api.orders import orders
from shop.api.products import products
from shop.settings import load_settings


def create_app(path: str = "settings.yaml") -> Flask:
    """Builds the application from a settings file."""
    app = Flask(__name__)
    app.config.update(load_settings(path))
    app.register_blueprint(orders, url_prefix="/orders")
    app.register_blueprint(products, url_prefix="/products")
    return app


def main() -> None:
    create_app().run(host="0.0.0.0", port=8080, debug=True)


if __name__ == "__main__":
    main()
