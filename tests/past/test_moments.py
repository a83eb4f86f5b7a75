"""The texts that name a moment: dates, numbers of edits, revisions of git."""

import datetime
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zkmem.errors import BadArgument
from zkmem.past.moments import begin_of, end_of, is_number

UTC = datetime.UTC


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("2026-05-01T14:30Z", datetime.datetime(2026, 5, 1, 14, 31, tzinfo=UTC)),
        ("2026-05-01 14:30z", datetime.datetime(2026, 5, 1, 14, 31, tzinfo=UTC)),
        ("2026-05-01T14:30:05Z", datetime.datetime(2026, 5, 1, 14, 30, 6, tzinfo=UTC)),
        ("2026-05-01T14:30+02:00", datetime.datetime(2026, 5, 1, 12, 31, tzinfo=UTC)),
        ("2026-05-01T14:30 -0130", datetime.datetime(2026, 5, 1, 16, 1, tzinfo=UTC)),
        (" 2026-05-01T23:59:59Z ", datetime.datetime(2026, 5, 2, tzinfo=UTC)),
    ],
)
def test_a_date_means_its_end(text: str, end: datetime.datetime) -> None:
    assert end_of(text) == end.timestamp()


def test_a_date_without_a_zone_is_local(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    try:
        assert end_of("2026-05-01") == datetime.datetime(2026, 5, 1, 22, tzinfo=UTC).timestamp()
        assert end_of("2026-05-01T14:30") == datetime.datetime(2026, 5, 1, 12, 31, tzinfo=UTC).timestamp()
        begin, end = (end_of(day) or 0 for day in ("2026-03-28", "2026-03-29"))
        assert end - begin == 23 * 3600, "a day on which the clocks go forward"
    finally:
        monkeypatch.undo()
        time.tzset()


@pytest.mark.parametrize(
    "text",
    ["2026-02-30", "2026-13-01", "0000-01-01", "9999-12-31", "2026-05-01T25:00", "2026-05-01T14:30+99:00"],
)
def test_a_date_that_does_not_exist_is_refused(text: str) -> None:
    with pytest.raises(BadArgument, match="is no date"):
        end_of(text)


def test_a_date_too_far_away_to_begin_is_refused() -> None:
    with pytest.raises(BadArgument, match="'0001-01-01' is no date"):
        begin_of("0001-01-01")


@pytest.mark.parametrize("text", ["", "12", "2026-05", "HEAD~2", "refs/heads/2026-05-01", "20260501", "٢٠٢٦-٠٥-٠١"])
def test_other_texts_are_no_dates(text: str) -> None:
    assert end_of(text) is None


@given(st.text())
def test_no_text_is_both_a_date_and_a_number(text: str) -> None:
    try:
        is_date = end_of(text) is not None
    except BadArgument:
        is_date = True
    assert not (is_date and is_number(text))


@given(st.datetimes(datetime.datetime(1971, 1, 1), datetime.datetime(2200, 1, 1)))
def test_a_moment_lies_in_the_period_that_its_date_names(moment: datetime.datetime) -> None:
    for form, longest in (("%Y-%m-%d", 90_000), ("%Y-%m-%dT%H:%M", 60), ("%Y-%m-%dT%H:%M:%S", 1)):
        end = end_of(moment.replace(tzinfo=UTC).astimezone().strftime(form))
        assert end is not None
        assert 0 < end - moment.replace(tzinfo=UTC).timestamp() <= longest + 3_600, "an hour that the clocks repeat"
