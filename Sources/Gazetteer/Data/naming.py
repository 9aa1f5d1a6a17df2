"""Names: how sources are joined by them, and which are kept."""

import re
import unicodedata

# Names longer than this are descriptions, not names (GeoNames holds a few).
LONGEST_NAME = 100


def key(text):
    """A name without case, accents and punctuation, to join sources by."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(c for c in decomposed if unicodedata.category(c)[0] in "LN" or c == " ").strip()


# Words that say what kind of region a name is of.
KINDS = frozenset("""
    area autonomous capital city comunidad comunitat county d da de del departamento department district do fu
    governorate ken kray land metropolis metropolitan muhafazat municipality national oblast of prefecture province
    provincia region republic sheng shi special state territory the to voblast wilaya
    """.split())


def core(name):
    """A key without the words that say of what kind a region is; the whole key if nothing is left."""
    words = re.split(r"[ -]+", "".join(c if c.isalnum() else " " for c in unicodedata.normalize("NFKD", name.casefold())
                                       if not unicodedata.combining(c)))
    return " ".join(word for word in words if word and word not in KINDS) or key(name)


def clean(name):
    name = " ".join(unicodedata.normalize("NFC", name).replace("|", " ").split())
    if not name or len(name) > LONGEST_NAME or "://" in name or "wiki" in name.lower():
        return None
    return name if any(unicodedata.category(c)[0] == "L" for c in name) else None


def distinct(official, names):
    """The names that differ from the official one and from each other by more than case; accented forms stay, since
    the accent decides what a name folds to."""
    seen, kept = {official.casefold()}, []
    for name in sorted(set(filter(None, map(clean, names)))):
        if name.casefold() not in seen:
            seen.add(name.casefold())
            kept.append(name)
    return kept


def abbreviations(names):
    """The names that are codes by their look: "NY", "N.Y.", "NYC"."""
    return sorted(name for name in names if re.fullmatch(r"[A-Z]{2,4}|([A-Z]\. ?){2,3}", name))
