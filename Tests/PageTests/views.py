"""The views of the page, and the steps to each."""

from playwright.sync_api import expect

VIEWS = [
    "map", "account", "popup", "table", "posts", "sign-in", "sign-up", "place", "suggestions", "preview", "understood",
    "link", "settings", "deletion", "admin", "gate"]


def show(visitor, view):
    """Opens a view like a person does."""
    page = visitor.page
    banner = page.get_by_role("banner")
    texts = visitor.texts
    if view in ("admin", "gate"):
        page.goto("/admin")
        if view == "gate":
            visitor.sign_out()
            page.locator("#toasts").get_by_role("button", name=texts["close"]).click()
            expect(page.locator("#gate")).to_be_visible()
            return
        expect(page.locator(".plot .line[d^=M]").first).to_be_attached()
    visitor.connection("live")
    if view == "popup":
        page.locator("#tab-table").click()
        page.locator("tbody th a").first.click()
        expect(page.locator(".leaflet-popup")).to_be_visible()
        page.wait_for_timeout(400)
    elif view == "table":
        page.locator("#tab-table").click()
    elif view == "posts":
        page.locator("#tab-posts").click()
        expect(page.locator("#view-posts li").first).to_be_visible()
    elif view in ("sign-in", "sign-up"):
        visitor.sign_out()
        page.locator("#toasts").get_by_role("button", name=texts["close"]).click()
        banner.get_by_role("button", name=texts["sign-in"]).click()
        if view == "sign-up":
            page.get_by_role("dialog").get_by_role("button", name=texts["sign-up"]).click()
    elif view == "account":
        page.locator("#account").click()
        expect(page.locator("#account-menu")).to_be_visible()
    elif view in ("settings", "deletion"):
        visitor.menu(texts["settings"])
        expect(page.locator("#view-account li").first).to_be_visible()
        page.get_by_label(texts["email"]).fill("not an address")
        page.get_by_role("button", name=texts["save"], exact=True).click()
        expect(page.locator("#view-account .error").get_by_text(texts["password.empty"])).to_be_visible()
        if view == "deletion":
            page.get_by_role("button", name=texts["account.delete.begin"]).click()
            expect(page.get_by_role("dialog")).to_be_visible()
    elif view in ("place", "suggestions"):
        banner.get_by_role("button", name=texts["add"]).click()
        if view == "suggestions":
            page.get_by_role("combobox").last.press_sequentially("Springf")
            expect(page.get_by_role("listbox").get_by_role("option")).to_have_count(5)
    elif view in ("preview", "understood", "link"):
        banner.get_by_role("button", name=texts["add"]).click()
        text = "10 Downing St, London" if view == "understood" else "Springfield"
        page.get_by_role("combobox").last.fill(text)
        page.get_by_role("button", name=texts["adding.find"]).click()
        expect(page.locator(".preview-map .pin")).to_be_visible()
        if view == "link":
            page.get_by_role("button", name=texts["adding.use"]).click()
            page.get_by_role("textbox", name=texts["adding.link"]).fill("javascript:alert(1)")
