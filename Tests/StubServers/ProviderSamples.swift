/// Sample responses in the providers' formats, with invented values.
package enum ProviderSamples {
  /// Nominatim's response for a house.
  package static let nominatimHouse = """
    [{"place_id":4711,"licence":"Data © OpenStreetMap contributors, ODbL 1.0. http://osm.org/copyright",
    "osm_type":"node","osm_id":"107775","lat":"59.9138688","lon":"10.7522454","category":"building","type":"yes",
    "place_rank":30,"importance":0.00001,"addresstype":"building","name":"",
    "display_name":"7, Storgata, Sentrum, Oslo, 0155, Norway",
    "boundingbox":["59.9137","59.9140","10.7520","10.7525"],
    "address":{"house_number":"7","road":"Storgata","city":"Oslo","county":"Oslo fylke","postcode":"0155",
    "country":"Norway","country_code":"no"}}]
    """

  /// Nominatim's response for an unknown place.
  package static let nominatimNone = "[]"

  /// Photon's response for a house.
  package static let photonHouse = """
    {"type":"FeatureCollection","features":[{"type":"Feature","properties":{"osm_type":"W","osm_id":4711,
    "osm_key":"building","osm_value":"yes","type":"house","housenumber":"3","street":"Ringstraße","district":"Mitte",
    "city":"Gotha","county":"Landkreis Gotha","state":"Thüringen","country":"Deutschland","postcode":"99867",
    "countrycode":"DE","extent":[10.70,50.96,10.72,50.94]},
    "geometry":{"type":"Point","coordinates":[10.7105,50.9485]}}]}
    """

  /// Pelias' response for a house.
  package static let peliasHouse = """
    {"geocoding":{"version":"0.2","attribution":"https://geo.example.org/attribution","query":{"text":"5 rue haute"}},
    "type":"FeatureCollection","features":[{"type":"Feature","geometry":{"type":"Point","coordinates":[5.0415,47.322]},
    "properties":{"id":"way/1","gid":"openaddresses:address:way/1","layer":"address","source":"openaddresses",
    "name":"5 Rue Haute","housenumber":"5","street":"Rue Haute","postalcode":"21000","confidence":0.95,
    "match_type":"exact","accuracy":"point","country":"France","country_a":"FRA","region":"Côte-d'Or",
    "label":"5 Rue Haute, Dijon, France"},"bbox":[5.04,47.32,5.05,47.33]}],"bbox":[5.04,47.32,5.05,47.33]}
    """
}
