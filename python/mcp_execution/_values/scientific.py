"""Values of numpy and pandas, recognised by their module's name and never imported from here."""

from .errors import Mismatch

_PACKAGES = ("numpy", "pandas")
_NOTHING = ("NaTType", "NAType")


def is_scientific(kind):
    return kind.__module__.partition(".")[0] in _PACKAGES


def scientific_form(value):
    kind = type(value)
    if kind.__name__ in _NOTHING:
        return None
    if kind.__module__.startswith("pandas"):
        if hasattr(value, "columns"):
            return _frame_form(value)
        if hasattr(value, "index") and hasattr(value, "to_dict"):
            return _series_form(value)
        if hasattr(value, "isoformat") and hasattr(value, "to_pydatetime"):
            return value.isoformat()
        if hasattr(value, "to_pytimedelta"):
            return value.to_pytimedelta()
    if hasattr(value, "tolist"):
        return _array_form(value)
    raise Mismatch(f"a {kind.__module__}.{kind.__name__} has no JSON form; return its values as a list or dict")


def _frame_form(frame):
    if not frame.columns.is_unique:
        raise Mismatch("two columns of the DataFrame have the same name, and one would be lost; rename one")
    return frame.to_dict(orient="records")


def _series_form(series):
    if not series.index.is_unique:
        raise Mismatch("the Series' index has repeated labels; return series.tolist() or reset its index")
    return series.to_dict()


def _array_form(value):
    dtype_kind = getattr(getattr(value, "dtype", None), "kind", "")
    if dtype_kind == "M":
        value = value.astype(str)
    elif dtype_kind == "m":
        value = value.astype("timedelta64[us]")
    form = value.tolist()
    if type(form) is type(value):
        raise Mismatch(f"a {type(value).__name__} is wider than a JSON number; return float(value) or str(value)")
    return form
