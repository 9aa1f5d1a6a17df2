import Messaging

extension LinkName {
  /// Setting of the address at which the link listens.
  var setting: Setting {
    switch self {
    case .submit: .submit
    case .jobs: .jobs
    case .changes: .changes
    case .gateway: .gateways
    case .feed: .publish
    case .query: .query
    }
  }
}
