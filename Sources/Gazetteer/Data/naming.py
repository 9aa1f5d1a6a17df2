"""Names: keys that join sources, and the selection of names to keep."""

import re
import unicodedata

# Longer names are descriptions (GeoNames holds a few).
LONGEST_NAME = 100


def key(text):
    """Returns a name without case, accents and punctuation, as a key to join sources."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(c for c in decomposed if unicodedata.category(c)[0] in "LN" or c == " ").strip()


# Words for the kind of a region.
KINDS = frozenset("""
    area autonomous capital city comunidad comunitat county d da de del departamento department district do fu
    governorate ken kray land metropolis metropolitan muhafazat municipality national oblast of prefecture province
    provincia region republic sheng shi special state territory the to voblast wilaya
    """.split())


def core(name):
    """Returns a key without the words for the kind of a region. If no word remains, returns the whole key."""
    words = re.split(r"[ -]+", "".join(c if c.isalnum() else " " for c in unicodedata.normalize("NFKD", name.casefold())
                                       if not unicodedata.combining(c)))
    return " ".join(word for word in words if word and word not in KINDS) or key(name)


def clean(name):
    name = " ".join(unicodedata.normalize("NFC", name).replace("|", " ").split())
    if not name or len(name) > LONGEST_NAME or "://" in name or "wiki" in name.lower():
        return None
    return name if any(unicodedata.category(c)[0] == "L" for c in name) else None


def distinct(official, names):
    """Returns the names that differ from the official one and from each other by more than case. Forms with other accents
    remain, because they may fold to other names."""
    seen, kept = {official.casefold()}, []
    for name in sorted(set(filter(None, map(clean, names)))):
        if name.casefold() not in seen:
            seen.add(name.casefold())
            kept.append(name)
    return kept


def abbreviations(names):
    """Returns the names that look like codes: "NY", "N.Y.", "NYC"."""
    return sorted(name for name in names if re.fullmatch(r"[A-Z]{2,4}|([A-Z]\. ?){2,3}", name))
