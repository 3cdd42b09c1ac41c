"""The checker: it makes the calls again and compares the balance."""

from tillbench.till import Till


def check(balance, calls, wanted):
    till = Till(balance)
    for name, arguments in calls:
        try:
            getattr(till, name)(**arguments)
        except Exception:
            continue
    return till.balance == wanted, till.balance
