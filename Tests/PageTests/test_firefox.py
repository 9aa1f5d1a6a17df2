"""The central paths in Debian's Firefox: the other modules' own tests, with another browser."""
# ruff: noqa: F401

import pytest
from playwright.sync_api import expect
from test_accounts import test_sign_up_signs_in_and_survives_a_reload
from test_adding import (
    test_a_stranger_signs_in_first_and_then_continues,
    test_a_typed_place_becomes_a_new_pin,
    test_the_pin_moves_by_dragging_and_by_keys,
)
from test_connection import test_the_page_keeps_its_list_while_all_services_are_down_and_reconnects
from test_deletion import (
    test_a_deleted_post_disappears_immediately_and_comes_back_by_undo,
    test_a_deleted_post_stays_hidden,
    test_the_next_page_sends_the_deletion_of_a_tab_that_closed_too_early,
)
from test_languages import test_the_chosen_language_is_remembered
from test_looking import (
    test_a_pin_popup_shows_name_place_and_link_and_closes_on_a_tap_outside,
    test_hostile_names_and_places_are_shown_as_text,
    test_the_table_is_newest_first_and_can_be_sorted_and_searched,
    test_two_browsers_see_each_others_pins,
)
from test_posts import test_an_edit_shows_that_the_post_is_saved
from test_reach import test_the_policy_allows_only_files_of_the_page


@pytest.fixture(scope="session")
def browser(firefox):
    return firefox


def test_a_reload_keeps_the_view(shared, visit):
    visitor = visit(shared).open().connection("live").tab("Table")
    visitor.page.reload()
    expect(visitor.page.get_by_role("tab", name="Table")).to_have_attribute("aria-selected", "true")
    expect(visitor.page.get_by_role("searchbox")).to_be_visible()
