"""The warning before a cap is reached."""

from libriscribe2.observe.call_events import BudgetWatch
from libriscribe2.observe.events import Event, EventStream

Used = dict[str, tuple[float, float]]


def warned(*looks: Used) -> list[Event]:
    """What is told of a budget that is looked at several times."""
    heard: list[Event] = []
    present: list[Used] = [{}]
    watch = BudgetWatch(EventStream("r1", (heard.append,)), lambda: present[-1])
    for used in looks:
        present.append(used)
        watch.look()
    return heard


def test_each_cap_is_told_of_once_from_four_fifths_on() -> None:
    heard = warned(
        {"max_cost": (3.99, 5.0), "max_calls": (1.0, 100.0)},
        {"max_cost": (4.0, 5.0), "max_calls": (79.0, 100.0)},
        {"max_cost": (4.5, 5.0), "max_calls": (80.0, 100.0)},
        {"max_cost": (5.0, 5.0), "max_calls": (100.0, 100.0)},
    )
    assert [(one.event, one.cap, one.used, one.allowed) for one in heard] == [
        ("budget.warn", "max_cost", 4.0, 5.0),
        ("budget.warn", "max_calls", 80.0, 100.0),
    ]
    assert [one.message for one in heard] == [
        "$4.00 of $5.00 is used (max_cost)",
        "80 of 100 is used (max_calls)",
    ]


def test_without_a_cap_nothing_is_told() -> None:
    assert warned({}) == []


def test_a_cap_of_nothing_is_used_up_from_the_start() -> None:
    (told,) = warned({"max_cost": (0.0, 0.0)})
    assert told.message == "$0.00 of $0.00 is used (max_cost)"
