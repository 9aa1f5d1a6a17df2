"""Tests of the page's languages: their choice, dates and numbers, names in other scripts, and space for every text."""

import datetime
import json
import re

import pytest
import source
from playwright.sync_api import expect
from reading import turned, unreadable

from conftest import PHONE

NAMES = {"en": "English", "de": "Deutsch", "es": "Español", "fr": "Français", "pt": "Português"}
# For each browser language: the tabs, an age and a time as patterns, a large number, and a size.
LOCALES = {
    "en-GB": (["Map", "Table", "My posts"], r"5 min\.? ago", r"\d+ [A-Z]\w+ \d{4}, \d", "12,345", "1.2 TB"),
    "de-CH": (["Karte", "Tabelle", "Meine Einträge"], r"vor 5 Min\.", r"\d\d\.\d\d\.\d{4}, \d", "12'345", "1.2 TB"),
    "es-MX": (["Mapa", "Tabla", "Mis publicaciones"], r"hace 5 min", r"\d+ \w+ \d{4}, \d", "12,345", "1.2 TB"),
    "fr-CA": (["Carte", "Tableau", "Mes publications"], r"il y a 5\smin", r"\d+ \S+ \d{4}, \d", "12 345", "1,2 To"),
    "pt-BR": (["Mapa", "Tabela", "Meus posts"], r"há 5 min\.?", r"\d+ de \S+ de \d{4}, \d", "12.345", "1,2 TB"),
}


@pytest.fixture(scope="module")
def ada(shared):
    """A person with two pins."""
    ada = shared.person("Ada", "Lovelace")
    ada.post("Santiago de Chile", "https://example.org/ada")
    ada.post("Bern, Switzerland", "https://example.org/bern")
    return ada


def test_a_language_that_the_browser_itself_refuses_does_not_stop_the_page(shared, ada, visit):
    visitor = visit(shared)
    # Chromium has such a tag on a Linux system without a locale.
    visitor.page.add_init_script(
        "Object.defineProperty(navigator, 'languages', { get: () => ['en-US@posix', 'en-GB'] });")
    visitor.open("/table").connection("live")
    expect(visitor.page.locator("tbody tr").first).to_be_visible()


@pytest.mark.parametrize("locale", LOCALES)
def test_the_page_comes_in_the_browsers_language(shared, visit, locale):
    page = visit(shared, locale=locale).open().connection("live").page
    expect(page.locator("html")).to_have_attribute("lang", locale[:2])
    expect(page.get_by_role("tab")).to_have_text(LOCALES[locale][0])


def test_the_chosen_language_is_remembered(shared, visit):
    page = visit(shared).open().connection("live").page
    expect(page.locator("#language option")).to_have_text(list(NAMES.values()))
    for code in ["fr", "en"]:
        page.locator("#account").click()
        page.locator("#language").select_option(label=NAMES[code])
        for _ in range(2):
            expect(page.locator("html")).to_have_attribute("lang", code)
            expect(page.locator("#tab-posts")).to_have_text(source.texts(code)["tab.posts"])
            page.reload()
        expect(page.locator("#language option:checked")).to_have_text(NAMES[code])


@pytest.mark.parametrize("locale", LOCALES)
def test_ages_dates_and_numbers_follow_the_language_and_the_country(shared, ada, visit, locale):
    _, age, moment, number, size = LOCALES[locale]
    visitor = visit(shared, locale=locale).sign_in(shared.operator())
    newest = datetime.datetime.fromisoformat(ada.posts()[0]["updatedAt"])
    visitor.page.clock.set_fixed_time(newest + datetime.timedelta(minutes=5, seconds=20))
    visitor.open("/table").connection("live")
    row = visitor.page.locator("tbody tr", has_text="Bern, Switzerland").filter(has_text="Ada Lovelace")
    expect(row.locator("time")).to_have_text(re.compile(f"^{age}$"))
    expect(row.locator("time")).to_have_attribute("title", re.compile(f"^{moment}"))

    def large(route):
        status = route.fetch().json()
        route.fulfill(json={**status, "depth": 12_345, "disk": {**status["disk"], "freeBytes": 1_234_567_890_123}})

    visitor.context.route("**/v2/admin/status", large)
    visitor.open("/admin")
    figures = visitor.page.locator(".figures dd")
    expect(figures.get_by_text(number, exact=True)).to_be_visible()
    expect(figures.get_by_text(size, exact=True)).to_be_visible()


def go_through(visitor):
    """Goes through the views as a person does, without loading the page again. Yields the name of each."""
    page, texts = visitor.page, visitor.texts
    yield "map"
    page.locator("#tab-table").click()
    yield "table"
    page.locator("tbody th a").first.click()
    expect(page.locator(".popup")).to_be_visible()
    yield "pin"
    page.locator("#tab-posts").click()
    expect(page.locator("#view-posts li").first).to_be_visible()
    yield "posts"
    page.locator("#add").click()
    yield "place"
    page.get_by_role("dialog").get_by_role("combobox").fill("Springfield")
    page.get_by_role("button", name=texts["adding.find"]).click()
    expect(page.locator(".preview-map .pin")).to_be_visible()
    yield "preview"
    page.keyboard.press("Escape")
    page.locator("#account").click()
    yield "account menu"
    page.locator("#account-menu").get_by_text(texts["settings"]).click()
    expect(page.locator("#view-account li").first).to_be_visible()
    yield "settings"
    visitor.sign_out()
    page.locator("#sign-in").click()
    yield "sign-in"


@pytest.mark.parametrize("locale", LOCALES)
def test_every_text_is_whole_and_beside_the_others_on_a_phone(shared, ada, visit, locale):
    visitor = visit(shared, locale=locale, viewport=PHONE, reduced_motion="reduce").sign_in(ada)
    visitor.open().connection("live")
    for view in go_through(visitor):
        assert unreadable(visitor) == [], view


@pytest.mark.parametrize("name, place", [("שלום", "ירושלים 5"), ("كريم", "القاهرة (5)")])
def test_names_and_places_in_right_to_left_scripts_do_not_turn_the_text_around_them(product, visit, name, place):
    person = product.person(name, name)
    person.post(place, "https://example.org/one", latitude=31.8, longitude=35.2)
    visitor = visit(product, locale="es-MX", reduced_motion="reduce").sign_in(person)
    page = visitor.page

    def order(*parts):
        """Expects these elements from left to right on one line."""
        for part in parts:
            expect(part).to_be_visible()
        boxes = [part.bounding_box() for part in parts]
        assert boxes == sorted(boxes, key=lambda box: box["x"])
        assert turned(visitor) == []

    visitor.open("/table").connection("live")
    row = page.locator("tbody tr")
    order(row.locator("a.name bdi"), row.locator(".mark"), row.locator(".where bdi"), row.locator(".host a"),
          row.locator("time"))
    page.locator("#tab-map").click()
    entry = page.locator("#list li")
    order(entry.locator("a.name bdi"), entry.locator(".mark"))
    entry.locator("a.name").click()
    expect(page.locator(".leaflet-popup").get_by_text("Borrar")).to_be_visible()
    order(page.locator("#list"), page.locator(".leaflet-popup"))
    page.locator("#tab-posts").click()
    post = page.locator("#view-posts li")
    order(post.locator("strong"), post.get_by_text("en el mapa", exact=True), post.get_by_role("button").first)
    post.get_by_role("button", name=f"Borrar {place}").click()
    toast = page.locator(".toast")
    expect(toast).to_contain_text(f"«{place}» se ha borrado.")
    order(toast.locator("span"), toast.get_by_role("button", name="Deshacer"))


def test_a_mark_that_turns_text_is_refused_in_the_persons_language_and_turns_no_text(shared, ada, visit):
    visitor = visit(shared, locale="fr-CA").sign_in(ada).open().connection("live")
    visitor.page.locator("#add").click()
    dialog = visitor.page.get_by_role("dialog")
    dialog.get_by_role("combobox").fill("Mont\u202eréal")
    dialog.get_by_role("button", name="Chercher").click()
    expect(dialog.get_by_text("Ce lieu est trop long ou contient un caractère caché.")).to_be_visible()
    assert turned(visitor) == []


def test_an_unknown_place_in_a_right_to_left_script_stays_within_its_quotation_marks(shared, ada, visit):
    visitor = visit(shared, locale="fr-CA").sign_in(ada).open().connection("live")
    visitor.page.locator("#add").click()
    dialog = visitor.page.get_by_role("dialog")
    dialog.get_by_role("combobox").fill("שלוםקקק 5")
    dialog.get_by_role("button", name="Chercher").click()
    quoted = dialog.get_by_text("Nous ne trouvons pas")
    expect(quoted.locator("bdi")).to_have_text("שלוםקקק 5")
    assert turned(visitor) == []


def test_french_punctuation_stays_on_the_line_of_its_word():
    texts = json.dumps(source.texts("fr"), ensure_ascii=False)
    assert re.findall(r"\S*(?: [:;!?»]|\w[;!?»]|«[^\u00a0])\S*", texts) == []
