/// The complete store of ingest: all protocols in one value. Each part of ingest holds the narrowest protocol that it
/// needs.
package typealias IngestStore = PostStore & PostReader & QueueReader & AccountStore & IdentityStore & LoginStore
  & StoreHealth & BackupStore
