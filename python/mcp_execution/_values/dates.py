"""Dates, times and durations, in ISO 8601 both ways."""

import re
from datetime import date, datetime, time, timedelta, timezone

from .converter import Converter
from .errors import Mismatch, unexpected

_DATE = r"([0-9]{4})-([0-9]{2})-([0-9]{2})"
_TIME = r"([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:[.,]([0-9]{1,9}))?)?"
_ZONE = r"(?:([Zz])|([+-])([0-9]{2})(?::?([0-9]{2})(?::?([0-9]{2})(?:\.([0-9]{1,6}))?)?)?)?"
_NUMBER = r"([0-9]{1,20}(?:[.,][0-9]{1,20})?)"

_ISO_DATE = re.compile(_DATE)
_ISO_TIME = re.compile(_TIME + _ZONE)
_ISO_DATETIME = re.compile(_DATE + "[Tt ]" + _TIME + _ZONE)
_ISO_DURATION = re.compile(
    rf"([+-]?)P(?:{_NUMBER}W)?(?:{_NUMBER}D)?(?:T(?:{_NUMBER}H)?(?:{_NUMBER}M)?(?:{_NUMBER}S)?)?"
)
_SECOND = 1_000_000
_UNITS = (604_800 * _SECOND, 86_400 * _SECOND, 3_600 * _SECOND, 60 * _SECOND, _SECOND)

_A_DATE = "a date such as '2024-05-17'"
_A_TIME = "a time such as '14:30:00'"
_A_DATETIME = "a date and time such as '2024-05-17T14:30:00Z'"
_A_DURATION = "a duration such as 'P1DT2H30M' or a number of seconds"


def to_date(value):
    match = _ISO_DATE.fullmatch(value) if type(value) is str else None
    if match:
        try:
            return date(*map(int, match.groups()))
        except ValueError as error:
            raise Mismatch(f"expected {_A_DATE}: {error}") from None
    raise unexpected(_A_DATE, value)


def to_time(value):
    match = _ISO_TIME.fullmatch(value) if type(value) is str else None
    if match:
        try:
            return time(*_clock(match.groups()))
        except ValueError as error:
            raise Mismatch(f"expected {_A_TIME}: {error}") from None
    raise unexpected(_A_TIME, value)


def strict_datetime(value):
    match = _ISO_DATETIME.fullmatch(value) if type(value) is str else None
    if match:
        groups = match.groups()
        try:
            return datetime(*map(int, groups[:3]), *_clock(groups[3:]))
        except ValueError as error:
            raise Mismatch(f"expected {_A_DATETIME}: {error}") from None
    raise unexpected(_A_DATETIME, value)


def to_datetime(value):
    if type(value) is str and _ISO_DATE.fullmatch(value):
        return datetime.combine(to_date(value), time())
    return strict_datetime(value)


def strict_timedelta(value):
    match = _ISO_DURATION.fullmatch(value) if type(value) is str else None
    if not match or not any(match.groups()[1:]) or value[-1] in "Tt":
        raise unexpected(_A_DURATION, value)
    sign, *amounts = match.groups()
    microseconds = sum(_scaled(amount, unit) for amount, unit in zip(amounts, _UNITS) if amount)
    return _timedelta(microseconds=-microseconds if sign == "-" else microseconds)


def to_timedelta(value):
    if type(value) is int or type(value) is float:
        return _timedelta(seconds=value)
    return strict_timedelta(value)


def duration_text(value):
    microseconds = value // timedelta(microseconds=1)
    sign, rest = ("-" if microseconds < 0 else ""), abs(microseconds)
    days, rest = divmod(rest, 86_400 * _SECOND)
    hours, rest = divmod(rest, 3_600 * _SECOND)
    minutes, rest = divmod(rest, 60 * _SECOND)
    seconds, fraction = divmod(rest, _SECOND)
    second_text = f"{seconds}.{fraction:06}".rstrip("0") if fraction else str(seconds or "")
    amounts = ((hours or "", "H"), (minutes or "", "M"), (second_text, "S"))
    clock = "".join(f"{amount}{unit}" for amount, unit in amounts if amount)
    if not days and not clock:
        return "PT0S"
    return f"{sign}P{f'{days}D' if days else ''}{f'T{clock}' if clock else ''}"


def _clock(groups):
    hour, minute, second, fraction, zulu, sign, *offset = groups
    zone = timezone.utc if zulu else _zone(sign, offset) if sign else None
    return int(hour), int(minute), int(second or 0), _microseconds(fraction), zone


def _zone(sign, offset):
    hours, minutes, seconds, fraction = offset
    distance = timedelta(
        hours=int(hours),
        minutes=int(minutes or 0),
        seconds=int(seconds or 0),
        microseconds=_microseconds(fraction),
    )
    return timezone(-distance if sign == "-" else distance)


def _microseconds(fraction):
    return int(f"{fraction:0<6}"[:6]) if fraction else 0


def _scaled(amount, unit):
    whole, _, fraction = amount.replace(",", ".").partition(".")
    return int(whole) * unit + (int(fraction) * unit // 10 ** len(fraction) if fraction else 0)


def _timedelta(**amount):
    try:
        return timedelta(**amount)
    except (OverflowError, ValueError):
        raise Mismatch("the duration is out of range") from None


CONVERTERS = {
    date: Converter(to_date, to_date, _A_DATE),
    time: Converter(to_time, to_time, _A_TIME),
    datetime: Converter(to_datetime, strict_datetime, _A_DATETIME),
    timedelta: Converter(to_timedelta, strict_timedelta, _A_DURATION),
}
FORMS = {
    datetime: datetime.isoformat,
    date: date.isoformat,
    time: time.isoformat,
    timedelta: duration_text,
}
