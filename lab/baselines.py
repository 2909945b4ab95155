"""The plain calculation that an agent has to beat."""

from lab.cases import Case, Draft


def baseline(case: Case) -> list[Draft]:
    """Return the (sku, quantity in tubs) drafts a script would make, in the order of the stock.

    A quantity is `threshold - (on_hand - reserved)` where that is positive. No model is called
    and `case.expected` is not read.
    """
    needs = [
        (sku, threshold - (on_hand - reserved))
        for sku, on_hand, reserved, threshold, _ in case.stock
    ]
    return [(sku, need) for sku, need in needs if need > 0]
