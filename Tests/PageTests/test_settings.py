"""Tests of the settings: names, address, password, sessions, identities, and the end of the account."""

import urllib.error

import pytest
from playwright.sync_api import expect
from provider import Provider

from product import PASSWORD, Product, free_port

NEW_PASSWORD = "battery-staple"
FIREFOX = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0"
SAFARI = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 "
    "Mobile/15E148 Safari/604.1")


def section(visitor, name):
    return visitor.page.get_by_role("region", name=name, exact=True)


def dialog(visitor):
    return visitor.page.get_by_role("dialog")


def signs_in(product, person, password):
    """True if a person can sign in with a password."""
    try:
        product.request("POST", "/v2/session", {"email": person.email, "password": password})
    except urllib.error.HTTPError as error:
        assert error.code == 403
        return False
    return True


def test_the_menu_leads_to_the_settings_and_back_leads_to_the_map(shared, visit):
    visitor = visit(shared).sign_in(shared.person()).open().connection("live")
    visitor.menu("Settings")
    expect(visitor.page.get_by_role("heading", name="Settings", level=2)).to_be_visible()
    expect(section(visitor, "Profile").get_by_label("First name")).to_have_value("Ada")
    assert visitor.page.url == shared.url + "/account"
    visitor.page.reload()
    expect(section(visitor, "Profile").get_by_label("Last name")).to_have_value("Lovelace")
    visitor.page.go_back()
    expect(visitor.page.locator("#map")).to_be_visible()
    expect(section(visitor, "Profile")).to_be_hidden()


def test_the_keyboard_passes_the_settings_in_the_order_of_the_screen(shared, visit):
    ada = shared.person()
    visitor = visit(shared).sign_in(ada).open("/account").connection("live")
    expect(section(visitor, "Where you are signed in").get_by_role("listitem")).to_have_count(2)
    expect(visitor.page.locator("#view-account")).to_match_aria_snapshot("""
      - heading "Settings" [level=2]
      - region "Profile":
        - heading "Profile" [level=3]
        - textbox "First name": Ada
        - textbox "Last name": Lovelace
        - textbox "Email address": /@example.org/
      - region "Password":
        - heading "Password" [level=3]
        - textbox "Current password"
        - button "Show password"
        - textbox "New password"
        - button "Show password"
        - paragraph: At least 8 characters.
      - region "Where you are signed in":
        - heading "Where you are signed in" [level=3]
        - list:
          - listitem: /this device/
          - listitem:
            - button /End session on/
        - button "End all other sessions"
      - region "Delete account":
        - heading "Delete account" [level=3]
        - button "Delete account …"
    """)
    visitor.page.get_by_label("First name").focus()
    for name in ["Last name", "Email address", "Current password", "Show password", "New password", "Show password",
                 "End session on Python-urllib", "End all other sessions", "Delete account …"]:
        visitor.page.keyboard.press("Tab")
        expect(visitor.page.locator(":focus")).to_have_accessible_name(name)
    visitor.page.keyboard.press("Enter")
    expect(dialog(visitor).get_by_label("Current password")).to_be_focused()
    visitor.page.keyboard.press("Escape")
    expect(visitor.page.locator(":focus")).to_have_accessible_name("Delete account …")


def test_without_a_session_the_settings_ask_to_sign_in(shared, visit):
    ada = shared.person()
    visitor = visit(shared).open("/account")
    visitor.page.locator("#view-account").get_by_role("button", name="Sign in").click()
    dialog(visitor).get_by_label("Email address").fill(ada.email)
    dialog(visitor).get_by_label("Password").fill(PASSWORD)
    dialog(visitor).get_by_role("button", name="Sign in", exact=True).click()
    expect(section(visitor, "Profile").get_by_label("Email address")).to_have_value(ada.email)
    visitor.sign_out()
    expect(visitor.page.get_by_text("Sign in to see your account.")).to_be_visible()
    expect(section(visitor, "Profile")).to_have_count(0)


def test_a_new_name_is_saved_and_reaches_the_map(shared, visit):
    ada = shared.person()
    ada.post("Quito")
    watcher = visit(shared).open().connection("live")
    visitor = visit(shared).sign_in(ada).open("/account")
    profile = section(visitor, "Profile")
    save = profile.get_by_role("button", name="Save")
    expect(profile.get_by_label("First name")).to_have_value("Ada")
    # Only a change has something to save.
    expect(save).to_be_hidden()
    profile.get_by_label("First name").fill("<b>Augusta</b>")
    profile.get_by_label("Last name").fill("עדה")
    profile.get_by_label("Last name").press("Enter")
    expect(profile.get_by_text("Saved", exact=True)).to_be_focused()
    expect(save).to_be_hidden()
    expect(visitor.page.locator("#account-name")).to_have_text("<b>Augusta</b>")
    watcher.tab("Table")
    expect(watcher.page.get_by_text("<b>Augusta</b> עדה").first).to_be_attached()
    profile.get_by_label("First name").fill("")
    expect(profile.get_by_text("Saved", exact=True)).to_have_count(0)
    save.click()
    expect(profile.get_by_text("Enter your first name.")).to_be_visible()
    expect(profile.get_by_label("First name")).to_be_focused()


def test_a_new_address_needs_the_password_and_must_be_free(shared, visit):
    ada, eve = shared.person(), shared.person("Eve")
    visitor = visit(shared).sign_in(ada).open("/account")
    profile = section(visitor, "Profile")
    email, password = profile.get_by_label("Email address"), profile.get_by_label("Current password")
    expect(password).to_be_hidden()
    email.fill(eve.email)
    profile.get_by_role("button", name="Save").click()
    expect(profile.get_by_text("Enter your password.")).to_be_visible()
    password.fill("not-the-password")
    password.press("Enter")
    expect(profile.get_by_text("This is not your current password.")).to_be_visible()
    password.fill(PASSWORD)
    password.press("Enter")
    expect(profile.get_by_text("Another account has this email address already.")).to_be_visible()
    expect(email).to_be_focused()
    ada.email = f"new.{ada.email}"
    email.fill(ada.email)
    profile.get_by_role("button", name="Save").click()
    expect(profile.get_by_text("Saved", exact=True)).to_be_visible()
    expect(password).to_be_hidden()
    assert signs_in(shared, ada, PASSWORD)
    # Password managers store the next password under the new address.
    expect(section(visitor, "Password").locator("input[autocomplete=username]")).to_have_value(ada.email)


def test_each_wrong_field_of_the_profile_has_its_complaint(shared, visit):
    visitor = visit(shared).sign_in(shared.person()).open("/account")
    profile = section(visitor, "Profile")
    email = profile.get_by_label("Email address")
    email.fill("not an address")
    profile.get_by_role("button", name="Save").click()
    expect(profile.get_by_text("Enter a valid email address")).to_be_visible()
    expect(profile.get_by_text("Enter your password.")).to_be_visible()
    expect(email).to_be_focused()
    email.fill("new@example.org")
    profile.get_by_role("button", name="Save").click()
    expect(profile.get_by_text("Enter a valid email address")).to_have_count(0)
    expect(profile.get_by_label("Current password")).to_be_focused()


def test_a_new_name_shows_in_another_tab_after_a_reload(shared, visit):
    ada = shared.person()
    visitor = visit(shared).sign_in(ada).open("/account")
    other = visitor.context.new_page()
    visitor.watch(other)
    other.goto("/")
    expect(other.locator("#account-name")).to_have_text("Ada")
    section(visitor, "Profile").get_by_label("First name").fill("Augusta")
    section(visitor, "Profile").get_by_role("button", name="Save").click()
    expect(section(visitor, "Profile").get_by_text("Saved", exact=True)).to_be_focused()
    other.reload()
    expect(other.locator("#account-name")).to_have_text("Augusta")


def test_a_new_password_ends_all_other_sessions(shared, visit):
    ada = shared.person()
    visitor = visit(shared).sign_in(ada).open("/account")
    other = visit(shared).sign_in(ada).open("/account")
    password = section(visitor, "Password")
    current, new = password.get_by_label("Current password"), password.get_by_label("New password")
    expect(current).to_have_attribute("autocomplete", "current-password")
    expect(new).to_have_attribute("autocomplete", "new-password")
    # Password managers store the new password under this name.
    expect(password.locator("input[autocomplete=username]")).to_have_value(ada.email)
    expect(section(other, "Where you are signed in").get_by_role("listitem")).to_have_count(3)
    current.fill("not-the-password")
    new.fill(NEW_PASSWORD)
    new.press("Enter")
    expect(password.get_by_text("This is not your current password.")).to_be_visible()
    current.fill(PASSWORD)
    password.get_by_role("button", name="Save password").click()
    expect(password.get_by_text("Your password is saved. Your other sessions have ended.")).to_be_focused()
    expect(current).to_have_value("")
    expect(section(visitor, "Where you are signed in").get_by_role("listitem")).to_have_count(1)
    assert signs_in(shared, ada, NEW_PASSWORD) and not signs_in(shared, ada, PASSWORD)
    # The ended session asks for a new sign-in.
    section(other, "Profile").get_by_label("First name").fill("Mallory")
    section(other, "Profile").get_by_role("button", name="Save").click()
    expect(dialog(other).get_by_text("Your session has ended.")).to_be_visible()
    dialog(other).get_by_role("button", name="Close").click()
    expect(other.page.get_by_text("Sign in to see your account.")).to_be_visible()


def test_a_change_is_not_sent_for_another_account(shared, visit):
    ada, eve = shared.person(), shared.person("Eve")
    visitor = visit(shared).sign_in(ada).open("/account")
    section(visitor, "Profile").get_by_label("First name").fill("Augusta")
    visitor.context.clear_cookies()
    section(visitor, "Profile").get_by_role("button", name="Save").click()
    dialog(visitor).get_by_label("Email address").fill(eve.email)
    dialog(visitor).get_by_label("Password").fill(PASSWORD)
    dialog(visitor).get_by_role("button", name="Sign in", exact=True).click()
    expect(section(visitor, "Profile").get_by_label("Email address")).to_have_value(eve.email)
    expect(section(visitor, "Profile").get_by_label("First name")).to_have_value("Eve")
    assert eve.request("GET", "/v2/account")["firstName"] == "Eve"


def test_sessions_have_names_and_can_be_ended(shared, visit):
    ada = shared.person()
    for agent in (FIREFOX, SAFARI, "<i>robot</i> 1.0"):
        visit(shared, user_agent=agent).sign_in(ada)
    visitor = visit(shared).sign_in(ada).open("/account")
    sessions = section(visitor, "Where you are signed in")
    rows = sessions.get_by_role("listitem")
    expect(rows).to_have_count(5)
    expect(rows.first).to_contain_text("Chrome on Linux")
    expect(rows.first).to_contain_text("this device")
    expect(rows.first).to_contain_text("127.0.0.1")
    expect(rows.first.get_by_role("button")).to_have_count(0)
    # A program's own name stays text.
    expect(sessions.get_by_text("<i>robot<")).to_be_visible()
    sessions.get_by_role("button", name="End session on Safari on iPhone").press("Enter")
    expect(rows).to_have_count(4)
    expect(sessions.get_by_role("heading")).to_be_focused()
    expect(visitor.page.locator("#announcements")).to_have_text("The session on Safari on iPhone has ended.")
    expect(sessions.get_by_text("Safari on iPhone")).to_have_count(0)
    expect(sessions.get_by_text("Firefox on Windows")).to_be_visible()
    sessions.get_by_role("button", name="End all other sessions").click()
    expect(rows).to_have_count(1)
    expect(sessions.get_by_role("button")).to_have_count(0)
    with pytest.raises(urllib.error.HTTPError):
        ada.request("GET", "/v2/account")


def test_an_account_is_deleted_with_its_posts_after_the_password(shared, visit):
    ada = shared.person("Zenobia")
    ada.post("Lima")
    ada.post("Cusco")
    watcher = visit(shared).open("/table").connection("live")
    expect(watcher.page.get_by_text("Zenobia").first).to_be_attached()
    visitor = visit(shared).sign_in(ada).open("/account")
    deletion = section(visitor, "Delete account")
    deletion.get_by_role("button", name="Delete account …").click()
    expect(dialog(visitor)).to_contain_text("all your sessions and your 2 posts are deleted. This can’t be undone.")
    # The button behind the dialog waits for the person, not for the server.
    expect(deletion.locator("[aria-busy]")).to_have_count(0)
    dialog(visitor).get_by_role("button", name="Cancel").click()
    expect(dialog(visitor)).to_have_count(0)
    deletion.get_by_role("button", name="Delete account …").click()
    password = dialog(visitor).get_by_label("Current password")
    expect(password).to_be_focused()
    password.fill("not-the-password")
    password.press("Enter")
    expect(dialog(visitor).get_by_text("This is not your current password.")).to_be_visible()
    password.fill(PASSWORD)
    dialog(visitor).get_by_role("button", name="Delete account").click()
    expect(visitor.page.locator("#toasts")).to_contain_text("Your account and your posts are deleted.")
    expect(visitor.page.locator("#announcements")).to_have_text("Your account and your posts are deleted.")
    expect(visitor.page.get_by_role("banner").get_by_role("button", name="Sign in")).to_be_focused()
    expect(visitor.page.locator("#map")).to_be_visible()
    expect(watcher.page.get_by_text("Zenobia")).to_have_count(0)
    assert not signs_in(shared, ada, PASSWORD)


@pytest.fixture
def provided(tmp_path):
    """Services with a provider, at which a person with the subject `grace` is signed in."""
    with Provider("grace") as provider:
        port = free_port()
        product = Product(tmp_path, *provider.options(port))
        product.url, product.provider = f"http://127.0.0.1:{port}", provider
        yield product
        product.end()


def test_a_person_links_a_provider_signs_in_with_it_and_removes_it(provided, visit):
    ada = provided.person()
    visitor = visit(provided).sign_in(ada).open("/account")
    identities = section(visitor, "Other ways to sign in")
    identities.get_by_role("button", name="Connect Example Login").click()
    dialog(visitor).get_by_label("Current password").fill(PASSWORD)
    dialog(visitor).get_by_role("button", name="Continue").click()
    expect(visitor.page.locator("#toasts")).to_contain_text("Connected. You can now sign in this way, too.")
    expect(identities.get_by_role("listitem")).to_contain_text("grace")
    assert visitor.page.url == provided.url + "/account"
    visitor.sign_out()
    visitor.page.locator("#view-account").get_by_role("button", name="Sign in").click()
    dialog(visitor).get_by_role("link", name="Sign in with Example Login").click()
    expect(section(visitor, "Profile").get_by_label("Email address")).to_have_value(ada.email)
    identities.get_by_role("button", name="Remove").click()
    dialog(visitor).get_by_label("Current password").fill(PASSWORD)
    dialog(visitor).get_by_role("button", name="Remove").click()
    expect(identities.get_by_role("listitem")).to_have_count(0)
    expect(identities.get_by_role("heading")).to_be_focused()


def test_a_provider_identity_of_another_account_is_not_linked(provided, visit):
    grace = visit(provided).open("/v2/login/oidc?return=/account")
    expect(section(grace, "Profile").get_by_label("First name")).to_have_value("Grace")
    visitor = visit(provided).sign_in(provided.person()).open("/account")
    section(visitor, "Other ways to sign in").get_by_role("button", name="Connect Example Login").click()
    dialog(visitor).get_by_label("Current password").fill(PASSWORD)
    dialog(visitor).get_by_role("button", name="Continue").click()
    expect(visitor.page.locator("#toasts")).to_contain_text("This sign-in belongs to another account.")
    expect(section(visitor, "Other ways to sign in").get_by_role("listitem")).to_have_count(0)
    assert visitor.page.url == provided.url + "/account"


def test_an_account_without_a_password_keeps_its_only_way_to_sign_in_until_it_has_one(provided, visit):
    visitor = visit(provided).open("/v2/login/oidc?return=/account")
    identities, password = section(visitor, "Other ways to sign in"), section(visitor, "Password")
    # The provider gave no address. The account's random one leads nowhere.
    expect(section(visitor, "Profile").get_by_label("Email address")).to_have_value("")
    identities.get_by_role("button", name="Remove").click()
    expect(dialog(visitor).get_by_role("textbox")).to_have_count(0)
    dialog(visitor).get_by_role("button", name="Remove").click()
    expect(dialog(visitor).get_by_text("This is your only way to sign in. Set a password first")).to_be_visible()
    dialog(visitor).get_by_role("button", name="Cancel").click()
    expect(password.get_by_label("Current password")).to_be_hidden()
    password.get_by_label("New password").fill(NEW_PASSWORD)
    password.get_by_role("button", name="Save password").click()
    expect(password.get_by_text("Your password is saved.")).to_be_visible()
    expect(password.get_by_label("Current password")).to_be_visible()
    identities.get_by_role("button", name="Remove").click()
    dialog(visitor).get_by_label("Current password").fill(NEW_PASSWORD)
    dialog(visitor).get_by_role("button", name="Remove").click()
    expect(identities.get_by_role("listitem")).to_have_count(0)


def test_an_old_sign_in_of_an_account_without_a_password_is_renewed_at_the_provider(provided, visit):
    visitor = visit(provided).open("/v2/login/oidc?return=/account")
    profile = section(visitor, "Profile")
    # A real session would be too old only after ten minutes.
    visitor.page.route("**/v2/account", lambda route: route.fulfill(
        status=403, json={"code": "login_not_recent", "detail": "log in again"}))
    profile.get_by_label("Email address").fill("grace@example.org")
    profile.get_by_role("button", name="Save").click()
    expect(profile.get_by_text("You signed in too long ago for this change.")).to_be_visible()
    profile.get_by_role("button", name="Sign in again").click()
    expect(dialog(visitor).get_by_label("Password")).to_have_count(0)
    dialog(visitor).get_by_role("link", name="Sign in with Example Login").click()
    expect(dialog(visitor)).to_have_count(0)
    visitor.page.unroute("**/v2/account")
    profile.get_by_label("Email address").fill("grace@example.org")
    profile.get_by_role("button", name="Save").click()
    expect(profile.get_by_text("Saved", exact=True)).to_be_visible()


@pytest.mark.parametrize(("language", "verb", "noun"), [
    ("en-GB", "End", "session"), ("de-DE", "beenden", "Sitzung"), ("es-ES", "Cerrar", "sesi"),
    ("fr-FR", "Fermer", "session"), ("pt-BR", "Encerrar", "sess")])
def test_the_buttons_of_sessions_name_what_they_end(shared, visit, language, verb, noun):
    visitor = visit(shared, locale=language).sign_in(shared.person()).open("/account")
    buttons = visitor.page.locator(".setting", has=visitor.page.locator(".mark")).get_by_role("button")
    expect(buttons).to_have_count(2)
    for words in (verb, noun):
        expect(buttons).to_contain_text([words, words])


@pytest.mark.parametrize("width", [320, 390, 820, 1440])
@pytest.mark.parametrize("language", ["en-GB", "de-DE"])
def test_nothing_of_the_settings_is_cut_off(shared, visit, width, language):
    ada = shared.person("W" * 64, "Verylongname" * 5)
    visitor = visit(shared, viewport={"width": width, "height": 800}, locale=language).sign_in(ada).open("/account")
    view = visitor.page.locator("#view-account")
    expect(view.get_by_role("listitem").first).to_be_visible()
    view.locator("input[type=email]").fill("new@example.org")
    expect(view.locator("button.primary").first).to_be_visible()
    assert view.evaluate("view => view.scrollWidth <= view.clientWidth")
    for part in view.locator(".setting:visible").all():
        # The heading is as wide as the content.
        frame = part.get_by_role("heading").bounding_box()
        for control in part.locator("button:visible, input:visible").all():
            box = control.bounding_box()
            assert frame["x"] <= box["x"] and box["x"] + box["width"] <= frame["x"] + frame["width"]
            assert box["height"] >= 40
    assert view.locator(".settings").bounding_box()["width"] <= 36 * 16
