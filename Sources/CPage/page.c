#include "page.h"

// Leaflet comes from the system: deploy/setup.sh installs it.
#if !__has_embed("/usr/share/javascript/leaflet/leaflet.markercluster.min.js")
#error "Leaflet is missing: install libjs-leaflet and libjs-leaflet.markercluster"
#endif

static const unsigned char admin_html[] = {
#embed "../WebPage/admin.html"
};
static const unsigned char address_js[] = {
#embed "../WebPage/address.js"
};
static const unsigned char bar_js[] = {
#embed "../WebPage/bar.js"
};
static const unsigned char empty_svg[] = {
#embed "../WebPage/empty.svg"
};
static const unsigned char first_visit_js[] = {
#embed "../WebPage/first-visit.js"
};
static const unsigned char icon_192_png[] = {
#embed "../WebPage/icon-192.png"
};
static const unsigned char icon_512_png[] = {
#embed "../WebPage/icon-512.png"
};
static const unsigned char icon_maskable_png[] = {
#embed "../WebPage/icon-maskable.png"
};
static const unsigned char icon_svg[] = {
#embed "../WebPage/icon.svg"
};
static const unsigned char index_html[] = {
#embed "../WebPage/index.html"
};
static const unsigned char installation_js[] = {
#embed "../WebPage/installation.js"
};
static const unsigned char land_bin[] = {
#embed "../WebPage/land.bin"
};
static const unsigned char main_js[] = {
#embed "../WebPage/main.js"
};
static const unsigned char manifest_webmanifest[] = {
#embed "../WebPage/manifest.webmanifest"
};
static const unsigned char names_json[] = {
#embed "../WebPage/names.json"
};
static const unsigned char news_js[] = {
#embed "../WebPage/news.js"
};
static const unsigned char pin_view_js[] = {
#embed "../WebPage/pin-view.js"
};
static const unsigned char share_js[] = {
#embed "../WebPage/share.js"
};
static const unsigned char status_js[] = {
#embed "../WebPage/status.js"
};
static const unsigned char sw_js[] = {
#embed "../WebPage/sw.js"
};
static const unsigned char tabs_js[] = {
#embed "../WebPage/tabs.js"
};
static const unsigned char account_account_form_js[] = {
#embed "../WebPage/account/account-form.js"
};
static const unsigned char account_account_view_js[] = {
#embed "../WebPage/account/account-view.js"
};
static const unsigned char account_deletion_setting_js[] = {
#embed "../WebPage/account/deletion-setting.js"
};
static const unsigned char account_device_js[] = {
#embed "../WebPage/account/device.js"
};
static const unsigned char account_fields_js[] = {
#embed "../WebPage/account/fields.js"
};
static const unsigned char account_identity_list_js[] = {
#embed "../WebPage/account/identity-list.js"
};
static const unsigned char account_mail_link_js[] = {
#embed "../WebPage/account/mail-link.js"
};
static const unsigned char account_password_field_js[] = {
#embed "../WebPage/account/password-field.js"
};
static const unsigned char account_password_setting_js[] = {
#embed "../WebPage/account/password-setting.js"
};
static const unsigned char account_profile_js[] = {
#embed "../WebPage/account/profile.js"
};
static const unsigned char account_recovery_js[] = {
#embed "../WebPage/account/recovery.js"
};
static const unsigned char account_session_list_js[] = {
#embed "../WebPage/account/session-list.js"
};
static const unsigned char account_session_js[] = {
#embed "../WebPage/account/session.js"
};
static const unsigned char account_setting_js[] = {
#embed "../WebPage/account/setting.js"
};
static const unsigned char account_sign_in_js[] = {
#embed "../WebPage/account/sign-in.js"
};
static const unsigned char account_with_password_js[] = {
#embed "../WebPage/account/with-password.js"
};
static const unsigned char adding_add_pin_js[] = {
#embed "../WebPage/adding/add-pin.js"
};
static const unsigned char adding_draft_js[] = {
#embed "../WebPage/adding/draft.js"
};
static const unsigned char adding_link_step_js[] = {
#embed "../WebPage/adding/link-step.js"
};
static const unsigned char adding_link_js[] = {
#embed "../WebPage/adding/link.js"
};
static const unsigned char adding_name_field_js[] = {
#embed "../WebPage/adding/name-field.js"
};
static const unsigned char adding_pin_map_js[] = {
#embed "../WebPage/adding/pin-map.js"
};
static const unsigned char adding_place_step_js[] = {
#embed "../WebPage/adding/place-step.js"
};
static const unsigned char adding_places_js[] = {
#embed "../WebPage/adding/places.js"
};
static const unsigned char adding_preview_step_js[] = {
#embed "../WebPage/adding/preview-step.js"
};
static const unsigned char adding_suggestions_js[] = {
#embed "../WebPage/adding/suggestions.js"
};
static const unsigned char adding_understood_js[] = {
#embed "../WebPage/adding/understood.js"
};
static const unsigned char adding_waiting_js[] = {
#embed "../WebPage/adding/waiting.js"
};
static const unsigned char admin_board_js[] = {
#embed "../WebPage/admin/board.js"
};
static const unsigned char admin_board_table_js[] = {
#embed "../WebPage/admin/board-table.js"
};
static const unsigned char admin_dead_posts_js[] = {
#embed "../WebPage/admin/dead-posts.js"
};
static const unsigned char admin_figures_js[] = {
#embed "../WebPage/admin/figures.js"
};
static const unsigned char admin_main_js[] = {
#embed "../WebPage/admin/main.js"
};
static const unsigned char admin_pause_button_js[] = {
#embed "../WebPage/admin/pause-button.js"
};
static const unsigned char admin_peers_js[] = {
#embed "../WebPage/admin/peers.js"
};
static const unsigned char admin_plot_js[] = {
#embed "../WebPage/admin/plot.js"
};
static const unsigned char admin_standing_js[] = {
#embed "../WebPage/admin/standing.js"
};
static const unsigned char common_announce_js[] = {
#embed "../WebPage/common/announce.js"
};
static const unsigned char common_api_js[] = {
#embed "../WebPage/common/api.js"
};
static const unsigned char common_asset_js[] = {
#embed "../WebPage/common/asset.js"
};
static const unsigned char common_busy_js[] = {
#embed "../WebPage/common/busy.js"
};
static const unsigned char common_dialog_js[] = {
#embed "../WebPage/common/dialog.js"
};
static const unsigned char common_element_js[] = {
#embed "../WebPage/common/element.js"
};
static const unsigned char common_empty_js[] = {
#embed "../WebPage/common/empty.js"
};
static const unsigned char common_field_js[] = {
#embed "../WebPage/common/field.js"
};
static const unsigned char common_fold_js[] = {
#embed "../WebPage/common/fold.js"
};
static const unsigned char common_glyph_js[] = {
#embed "../WebPage/common/glyph.js"
};
static const unsigned char common_language_js[] = {
#embed "../WebPage/common/language.js"
};
static const unsigned char common_link_js[] = {
#embed "../WebPage/common/link.js"
};
static const unsigned char common_motion_js[] = {
#embed "../WebPage/common/motion.js"
};
static const unsigned char common_phrase_js[] = {
#embed "../WebPage/common/phrase.js"
};
static const unsigned char common_position_js[] = {
#embed "../WebPage/common/position.js"
};
static const unsigned char common_quantity_js[] = {
#embed "../WebPage/common/quantity.js"
};
static const unsigned char common_title_js[] = {
#embed "../WebPage/common/title.js"
};
static const unsigned char common_toast_js[] = {
#embed "../WebPage/common/toast.js"
};
static const unsigned char latest_connection_js[] = {
#embed "../WebPage/latest/connection.js"
};
static const unsigned char latest_hash_js[] = {
#embed "../WebPage/latest/hash.js"
};
static const unsigned char latest_kept_list_js[] = {
#embed "../WebPage/latest/kept-list.js"
};
static const unsigned char latest_latest_js[] = {
#embed "../WebPage/latest/latest.js"
};
static const unsigned char list_entries_js[] = {
#embed "../WebPage/list/entries.js"
};
static const unsigned char list_entry_js[] = {
#embed "../WebPage/list/entry.js"
};
static const unsigned char list_pin_list_js[] = {
#embed "../WebPage/list/pin-list.js"
};
static const unsigned char list_sheet_js[] = {
#embed "../WebPage/list/sheet.js"
};
static const unsigned char map_base_map_js[] = {
#embed "../WebPage/map/base-map.js"
};
static const unsigned char map_cluster_list_js[] = {
#embed "../WebPage/map/cluster-list.js"
};
static const unsigned char map_ground_js[] = {
#embed "../WebPage/map/ground.js"
};
static const unsigned char map_hover_name_js[] = {
#embed "../WebPage/map/hover-name.js"
};
static const unsigned char map_land_js[] = {
#embed "../WebPage/map/land.js"
};
static const unsigned char map_map_buttons_js[] = {
#embed "../WebPage/map/map-buttons.js"
};
static const unsigned char map_map_view_js[] = {
#embed "../WebPage/map/map-view.js"
};
static const unsigned char map_my_position_js[] = {
#embed "../WebPage/map/my-position.js"
};
static const unsigned char map_old_pin_js[] = {
#embed "../WebPage/map/old-pin.js"
};
static const unsigned char map_person_hue_js[] = {
#embed "../WebPage/map/person-hue.js"
};
static const unsigned char map_pick_js[] = {
#embed "../WebPage/map/pick.js"
};
static const unsigned char map_pin_js[] = {
#embed "../WebPage/map/pin.js"
};
static const unsigned char map_pins_js[] = {
#embed "../WebPage/map/pins.js"
};
static const unsigned char map_place_names_js[] = {
#embed "../WebPage/map/place-names.js"
};
static const unsigned char map_popup_options_js[] = {
#embed "../WebPage/map/popup-options.js"
};
static const unsigned char map_popup_js[] = {
#embed "../WebPage/map/popup.js"
};
static const unsigned char map_world_map_js[] = {
#embed "../WebPage/map/world-map.js"
};
static const unsigned char map_world_js[] = {
#embed "../WebPage/map/world.js"
};
static const unsigned char posts_deletion_js[] = {
#embed "../WebPage/posts/deletion.js"
};
static const unsigned char posts_kept_deletions_js[] = {
#embed "../WebPage/posts/kept-deletions.js"
};
static const unsigned char posts_own_posts_js[] = {
#embed "../WebPage/posts/own-posts.js"
};
static const unsigned char posts_posts_view_js[] = {
#embed "../WebPage/posts/posts-view.js"
};
static const unsigned char style_account_css[] = {
#embed "../WebPage/style/account.css"
};
static const unsigned char style_admin_css[] = {
#embed "../WebPage/style/admin.css"
};
static const unsigned char style_colours_css[] = {
#embed "../WebPage/style/colours.css"
};
static const unsigned char style_dialog_css[] = {
#embed "../WebPage/style/dialog.css"
};
static const unsigned char style_index_css[] = {
#embed "../WebPage/style/index.css"
};
static const unsigned char style_list_css[] = {
#embed "../WebPage/style/list.css"
};
static const unsigned char style_map_css[] = {
#embed "../WebPage/style/map.css"
};
static const unsigned char style_page_css[] = {
#embed "../WebPage/style/page.css"
};
static const unsigned char style_popup_css[] = {
#embed "../WebPage/style/popup.css"
};
static const unsigned char style_sheet_css[] = {
#embed "../WebPage/style/sheet.css"
};
static const unsigned char style_standing_css[] = {
#embed "../WebPage/style/standing.css"
};
static const unsigned char style_table_css[] = {
#embed "../WebPage/style/table.css"
};
static const unsigned char table_table_view_js[] = {
#embed "../WebPage/table/table-view.js"
};
static const unsigned char texts_de_json[] = {
#embed "../WebPage/texts/de.json"
};
static const unsigned char texts_en_json[] = {
#embed "../WebPage/texts/en.json"
};
static const unsigned char texts_es_json[] = {
#embed "../WebPage/texts/es.json"
};
static const unsigned char texts_fr_json[] = {
#embed "../WebPage/texts/fr.json"
};
static const unsigned char texts_pt_json[] = {
#embed "../WebPage/texts/pt.json"
};
static const unsigned char leaflet_leaflet_min_js[] = {
#embed "/usr/share/javascript/leaflet/leaflet.min.js"
};
static const unsigned char leaflet_leaflet_markercluster_min_js[] = {
#embed "/usr/share/javascript/leaflet/leaflet.markercluster.min.js"
};
static const unsigned char leaflet_leaflet_css[] = {
#embed "/usr/share/javascript/leaflet/leaflet.css"
};
static const unsigned char leaflet_markercluster_css[] = {
#embed "/usr/share/javascript/leaflet/MarkerCluster.css"
};
static const unsigned char leaflet_leaflet_txt[] = {
#embed "/usr/share/doc/libjs-leaflet/copyright"
};
static const unsigned char leaflet_markercluster_txt[] = {
#embed "/usr/share/doc/libjs-leaflet.markercluster/copyright"
};

#define FILE(name, bytes) {name, bytes, sizeof bytes}

static const onthemap_page_file files[] = {
  FILE("admin.html", admin_html),
  FILE("address.js", address_js),
  FILE("bar.js", bar_js),
  FILE("empty.svg", empty_svg),
  FILE("first-visit.js", first_visit_js),
  FILE("icon-192.png", icon_192_png),
  FILE("icon-512.png", icon_512_png),
  FILE("icon-maskable.png", icon_maskable_png),
  FILE("icon.svg", icon_svg),
  FILE("index.html", index_html),
  FILE("installation.js", installation_js),
  FILE("land.bin", land_bin),
  FILE("main.js", main_js),
  FILE("manifest.webmanifest", manifest_webmanifest),
  FILE("names.json", names_json),
  FILE("news.js", news_js),
  FILE("pin-view.js", pin_view_js),
  FILE("share.js", share_js),
  FILE("status.js", status_js),
  FILE("sw.js", sw_js),
  FILE("tabs.js", tabs_js),
  FILE("account/account-form.js", account_account_form_js),
  FILE("account/account-view.js", account_account_view_js),
  FILE("account/deletion-setting.js", account_deletion_setting_js),
  FILE("account/device.js", account_device_js),
  FILE("account/fields.js", account_fields_js),
  FILE("account/identity-list.js", account_identity_list_js),
  FILE("account/mail-link.js", account_mail_link_js),
  FILE("account/password-field.js", account_password_field_js),
  FILE("account/password-setting.js", account_password_setting_js),
  FILE("account/profile.js", account_profile_js),
  FILE("account/recovery.js", account_recovery_js),
  FILE("account/session-list.js", account_session_list_js),
  FILE("account/session.js", account_session_js),
  FILE("account/setting.js", account_setting_js),
  FILE("account/sign-in.js", account_sign_in_js),
  FILE("account/with-password.js", account_with_password_js),
  FILE("adding/add-pin.js", adding_add_pin_js),
  FILE("adding/draft.js", adding_draft_js),
  FILE("adding/link-step.js", adding_link_step_js),
  FILE("adding/link.js", adding_link_js),
  FILE("adding/name-field.js", adding_name_field_js),
  FILE("adding/pin-map.js", adding_pin_map_js),
  FILE("adding/place-step.js", adding_place_step_js),
  FILE("adding/places.js", adding_places_js),
  FILE("adding/preview-step.js", adding_preview_step_js),
  FILE("adding/suggestions.js", adding_suggestions_js),
  FILE("adding/understood.js", adding_understood_js),
  FILE("adding/waiting.js", adding_waiting_js),
  FILE("admin/board.js", admin_board_js),
  FILE("admin/board-table.js", admin_board_table_js),
  FILE("admin/dead-posts.js", admin_dead_posts_js),
  FILE("admin/figures.js", admin_figures_js),
  FILE("admin/main.js", admin_main_js),
  FILE("admin/pause-button.js", admin_pause_button_js),
  FILE("admin/peers.js", admin_peers_js),
  FILE("admin/plot.js", admin_plot_js),
  FILE("admin/standing.js", admin_standing_js),
  FILE("common/announce.js", common_announce_js),
  FILE("common/api.js", common_api_js),
  FILE("common/asset.js", common_asset_js),
  FILE("common/busy.js", common_busy_js),
  FILE("common/dialog.js", common_dialog_js),
  FILE("common/element.js", common_element_js),
  FILE("common/empty.js", common_empty_js),
  FILE("common/field.js", common_field_js),
  FILE("common/fold.js", common_fold_js),
  FILE("common/glyph.js", common_glyph_js),
  FILE("common/language.js", common_language_js),
  FILE("common/link.js", common_link_js),
  FILE("common/motion.js", common_motion_js),
  FILE("common/phrase.js", common_phrase_js),
  FILE("common/position.js", common_position_js),
  FILE("common/quantity.js", common_quantity_js),
  FILE("common/title.js", common_title_js),
  FILE("common/toast.js", common_toast_js),
  FILE("latest/connection.js", latest_connection_js),
  FILE("latest/hash.js", latest_hash_js),
  FILE("latest/kept-list.js", latest_kept_list_js),
  FILE("latest/latest.js", latest_latest_js),
  FILE("list/entries.js", list_entries_js),
  FILE("list/entry.js", list_entry_js),
  FILE("list/pin-list.js", list_pin_list_js),
  FILE("list/sheet.js", list_sheet_js),
  FILE("map/base-map.js", map_base_map_js),
  FILE("map/cluster-list.js", map_cluster_list_js),
  FILE("map/ground.js", map_ground_js),
  FILE("map/hover-name.js", map_hover_name_js),
  FILE("map/land.js", map_land_js),
  FILE("map/map-buttons.js", map_map_buttons_js),
  FILE("map/map-view.js", map_map_view_js),
  FILE("map/my-position.js", map_my_position_js),
  FILE("map/old-pin.js", map_old_pin_js),
  FILE("map/person-hue.js", map_person_hue_js),
  FILE("map/pick.js", map_pick_js),
  FILE("map/pin.js", map_pin_js),
  FILE("map/pins.js", map_pins_js),
  FILE("map/place-names.js", map_place_names_js),
  FILE("map/popup-options.js", map_popup_options_js),
  FILE("map/popup.js", map_popup_js),
  FILE("map/world-map.js", map_world_map_js),
  FILE("map/world.js", map_world_js),
  FILE("posts/deletion.js", posts_deletion_js),
  FILE("posts/kept-deletions.js", posts_kept_deletions_js),
  FILE("posts/own-posts.js", posts_own_posts_js),
  FILE("posts/posts-view.js", posts_posts_view_js),
  FILE("style/account.css", style_account_css),
  FILE("style/admin.css", style_admin_css),
  FILE("style/colours.css", style_colours_css),
  FILE("style/dialog.css", style_dialog_css),
  FILE("style/index.css", style_index_css),
  FILE("style/list.css", style_list_css),
  FILE("style/map.css", style_map_css),
  FILE("style/page.css", style_page_css),
  FILE("style/popup.css", style_popup_css),
  FILE("style/sheet.css", style_sheet_css),
  FILE("style/standing.css", style_standing_css),
  FILE("style/table.css", style_table_css),
  FILE("table/table-view.js", table_table_view_js),
  FILE("texts/de.json", texts_de_json),
  FILE("texts/en.json", texts_en_json),
  FILE("texts/es.json", texts_es_json),
  FILE("texts/fr.json", texts_fr_json),
  FILE("texts/pt.json", texts_pt_json),
  FILE("leaflet/leaflet.min.js", leaflet_leaflet_min_js),
  FILE("leaflet/leaflet.markercluster.min.js", leaflet_leaflet_markercluster_min_js),
  FILE("leaflet/leaflet.css", leaflet_leaflet_css),
  FILE("leaflet/MarkerCluster.css", leaflet_markercluster_css),
  FILE("leaflet/leaflet.txt", leaflet_leaflet_txt),
  FILE("leaflet/markercluster.txt", leaflet_markercluster_txt),
};

const onthemap_page_file *onthemap_page(size_t *count) {
  *count = sizeof files / sizeof files[0];
  return files;
}
