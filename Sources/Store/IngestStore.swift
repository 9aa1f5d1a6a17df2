/// The complete store of ingest: all required protocols in one value. Each part of ingest holds the narrowest protocol
/// that it needs. A store that makes backups also conforms to `BackupStore`.
package typealias IngestStore = PostStore & PostReader & QueueReader & AccountStore & IdentityStore & LoginStore
  & MailTokenStore & StoreHealth
