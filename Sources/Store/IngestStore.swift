/// Complete store of ingest. One value conforms to all of its protocols. Each part of ingest holds the narrowest
/// protocol that it needs.
package typealias IngestStore = PostStore & PostReader & QueueReader & AccountStore & IdentityStore & LoginStore
  & StoreHealth
