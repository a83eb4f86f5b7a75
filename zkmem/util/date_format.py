"""Write dates as Moment.js does, whose formats Obsidian uses: `YYYY-MM-DD`, `dddd, D MMMM`, `[week] WW`.

The tokens are those of https://momentjs.com/docs/#/displaying/format/, in American English; the weeks of `w` and `g`
begin on Sunday.
"""

import datetime
import re
from collections.abc import Callable

_LONG = re.compile(r"\[[^\[\]]*\]|LTS|LT|L{1,4}|l{1,4}")
_LONG_FORMATS = {
    "LT": "h:mm A", "LTS": "h:mm:ss A",
    "L": "MM/DD/YYYY", "LL": "MMMM D, YYYY", "LLL": "MMMM D, YYYY h:mm A", "LLLL": "dddd, MMMM D, YYYY h:mm A",
    "l": "M/D/YYYY", "ll": "MMM D, YYYY", "lll": "MMM D, YYYY h:mm A", "llll": "ddd, MMM D, YYYY h:mm A",
}  # fmt: skip
_MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_DAYS = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
_MOST = 10_000  # characters of a format

_Moment = datetime.datetime


def formatted(moment: _Moment, format_: str) -> str:
    """Write a local time in a format. Text in `[]`, and all that is no token, stays."""
    long = _LONG.sub(lambda match: _LONG_FORMATS.get(match[0], match[0]), format_[:_MOST])
    return _TOKEN.sub(lambda match: match[1] if match[1] is not None else _TOKENS[match[0]](moment), long)


def ordinal(number: int) -> str:
    """Return a number such as 1st, 2nd, 11th."""
    ending = "th" if number % 100 in {11, 12, 13} else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def _sunday_week(moment: _Moment) -> tuple[int, int]:
    """Return the year and the week of a moment: a week begins on Sunday, and week 1 has the first of January."""
    saturday = moment + datetime.timedelta(days=6 - _weekday(moment))
    return saturday.year, (saturday.timetuple().tm_yday - 1) // 7 + 1


def _weekday(moment: _Moment) -> int:
    return moment.isoweekday() % 7


def _hour12(moment: _Moment) -> int:
    return moment.hour % 12 or 12


def _zone(moment: _Moment, colon: str) -> str:
    text = moment.astimezone().strftime("%z")
    return f"{text[:3]}{colon}{text[3:5]}"


def _year(digits: int) -> Callable[[_Moment], str]:
    return lambda moment: f"{moment.year:0{digits}}"


def _fraction(digits: int) -> Callable[[_Moment], str]:
    """Return a function that writes the fraction of a second; as in Moment, only the first three digits count."""
    return lambda moment: f"{moment.microsecond // 1000:03}".ljust(9, "0")[:digits]


_TOKENS: dict[str, Callable[[_Moment], str]] = {
    "YYYYYY": lambda t: f"+{t.year:06}",
    "YYYYY": _year(5),
    "YYYY": _year(4),
    "Y": _year(4),
    "YY": lambda t: f"{t.year % 100:02}",
    "Q": lambda t: str((t.month + 2) // 3),
    "Qo": lambda t: ordinal((t.month + 2) // 3),
    "MMMM": lambda t: _MONTHS[t.month - 1],
    "MMM": lambda t: _MONTHS[t.month - 1][:3],
    "MM": lambda t: f"{t.month:02}",
    "Mo": lambda t: ordinal(t.month),
    "M": lambda t: str(t.month),
    "DDDD": lambda t: f"{t.timetuple().tm_yday:03}",
    "DDDo": lambda t: ordinal(t.timetuple().tm_yday),
    "DDD": lambda t: str(t.timetuple().tm_yday),
    "DD": lambda t: f"{t.day:02}",
    "Do": lambda t: ordinal(t.day),
    "D": lambda t: str(t.day),
    "dddd": lambda t: _DAYS[_weekday(t)],
    "ddd": lambda t: _DAYS[_weekday(t)][:3],
    "dd": lambda t: _DAYS[_weekday(t)][:2],
    "do": lambda t: ordinal(_weekday(t)),
    "d": lambda t: str(_weekday(t)),
    "e": lambda t: str(_weekday(t)),
    "E": lambda t: str(t.isoweekday()),
    "ggggg": lambda t: f"{_sunday_week(t)[0]:05}",
    "gggg": lambda t: f"{_sunday_week(t)[0]:04}",
    "gg": lambda t: f"{_sunday_week(t)[0] % 100:02}",
    "GGGGG": lambda t: f"{t.isocalendar().year:05}",
    "GGGG": lambda t: f"{t.isocalendar().year:04}",
    "GG": lambda t: f"{t.isocalendar().year % 100:02}",
    "ww": lambda t: f"{_sunday_week(t)[1]:02}",
    "wo": lambda t: ordinal(_sunday_week(t)[1]),
    "w": lambda t: str(_sunday_week(t)[1]),
    "WW": lambda t: f"{t.isocalendar().week:02}",
    "Wo": lambda t: ordinal(t.isocalendar().week),
    "W": lambda t: str(t.isocalendar().week),
    "HH": lambda t: f"{t.hour:02}",
    "H": lambda t: str(t.hour),
    "hh": lambda t: f"{_hour12(t):02}",
    "h": lambda t: str(_hour12(t)),
    "kk": lambda t: f"{t.hour or 24:02}",
    "k": lambda t: str(t.hour or 24),
    "mm": lambda t: f"{t.minute:02}",
    "m": lambda t: str(t.minute),
    "ss": lambda t: f"{t.second:02}",
    "s": lambda t: str(t.second),
    "A": lambda t: "AM" if t.hour < 12 else "PM",
    "a": lambda t: "am" if t.hour < 12 else "pm",
    "x": lambda t: str(int(t.timestamp() * 1000)),
    "X": lambda t: str(int(t.timestamp())),
    "ZZ": lambda t: _zone(t, ""),
    "Z": lambda t: _zone(t, ":"),
    "z": lambda _: "",  # Moment writes no name of a time zone for a local time
    "zz": lambda _: "",
    "NNNN": lambda _: "Anno Domini",
    **dict.fromkeys(("N", "NN", "NNN", "NNNNN"), lambda _: "AD"),
    **{"y" * digits: _year(digits) for digits in range(1, 5)},
    **{"S" * digits: _fraction(digits) for digits in range(1, 10)},
}
_TOKEN = re.compile(r"\[([^\[\]]*)\]|" + "|".join(sorted(_TOKENS, key=len, reverse=True)))  # the longest first
