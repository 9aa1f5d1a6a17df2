/// Everything that ingest asks of a store. One value conforms to all of it; each part of ingest holds the narrowest
/// protocol that it needs.
package typealias IngestStore = PostStore & PostReader & QueueReader & AccountStore & IdentityStore & LoginStore
  & StoreHealth
