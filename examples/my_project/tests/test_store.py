from shop.api.orders import signature


def test_signature_is_stable():
    assert signature(1, 100) == signature(1, 100)
