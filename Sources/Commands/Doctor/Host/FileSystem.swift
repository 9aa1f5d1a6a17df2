import CHost

/// The type of a file system, by the number that statfs(2) returns.
struct FileSystem: Sendable, Equatable {
  /// The danger of a file system for a database.
  enum Danger: Sendable, Equatable {
    case none
    /// The files end with the machine or its memory.
    case volatile
    /// The files of a container end with the container.
    case container
    /// Another host keeps the files. Locks and the shared memory of the write-ahead log may not work.
    case network
    /// The file system has no owners and modes.
    case unprotected
    /// The file system is never writable.
    case readOnly
    /// The type says nothing about syncs and locks.
    case unknown
  }

  let name: String
  let danger: Danger

  /// Returns the type of a number.
  init(type: UInt64) {
    // On some machines the kernel's field is signed and extended.
    let known = FileSystem.types[UInt32(truncatingIfNeeded: type)]
    name = known?.name ?? "type 0x\(String(UInt32(truncatingIfNeeded: type), radix: 16))"
    danger = known?.danger ?? .unknown
  }

  /// Reads the type of the file system that has a file. Nil if the kernel does not report it.
  init?(at path: String) {
    var system = statfs()
    guard statfs(path, &system) == 0 else { return nil }
    self.init(type: UInt64(truncatingIfNeeded: system.f_type))
  }

  /// Returns the result of the check for a data folder.
  func check(_ id: String, path: String) -> Check {
    let move = "Move the folder to a local disk with ext4, XFS, Btrfs or ZFS"
    let place = "\(path) is on \(name)"
    return switch danger {
    case .none: .ok(id, place)
    case .volatile: .failure(id, "\(place), whose files a restart of the machine erases", remedy: move)
    case .container:
      .warning(
        id, "\(place): the layer of a container, whose files end with the container",
        remedy: "Mount a volume at this path")
    case .network:
      .failure(id, "\(place), a network file system, on which SQLite's log and locks are not safe", remedy: move)
    case .unprotected: .failure(id, "\(place), which has no owners and modes", remedy: move)
    case .readOnly: .failure(id, "\(place), which is read-only", remedy: move)
    case .unknown:
      .warning(
        id, "\(place), whose syncs and locks are unknown to this program",
        remedy: "Check that it is a local disk, and that a sync reaches stable storage")
    }
  }

  /// Types of linux/magic.h and of file systems outside the kernel.
  private static let types: [UInt32: (name: String, danger: Danger)] = [
    0xEF53: ("ext4", .none), 0x5846_5342: ("XFS", .none), 0x9123_683E: ("Btrfs", .none), 0x2FC1_2FC1: ("ZFS", .none),
    0xF2F5_2010: ("F2FS", .none), 0xCA45_1A4E: ("bcachefs", .none), 0x3153_464A: ("JFS", .none),
    0x5265_4973: ("ReiserFS", .none), 0x3434: ("NILFS2", .none), 0xF15F: ("eCryptfs", .unknown),
    0x0102_1994: ("tmpfs", .volatile), 0x8584_58F6: ("ramfs", .volatile), 0x794C_7630: ("overlayfs", .container),
    0x6969: ("NFS", .network), 0xFF53_4D42: ("CIFS", .network), 0xFE53_4D42: ("SMB", .network),
    0x517B: ("SMB", .network), 0x00C3_6400: ("CephFS", .network), 0x0102_1997: ("9p", .network),
    0x5346_414F: ("AFS", .network), 0x6B41_4653: ("AFS", .network), 0x0116_1970: ("GFS2", .network),
    0x7461_636F: ("OCFS2", .network), 0x0BD0_0BD0: ("Lustre", .network), 0x4750_4653: ("GPFS", .network),
    0x6573_5546: ("FUSE", .unknown), 0x4D44: ("FAT", .unprotected), 0x2011_BAB0: ("exFAT", .unprotected),
    0x5346_544E: ("NTFS", .unprotected), 0x7366_746E: ("NTFS3", .unprotected), 0x7371_7368: ("SquashFS", .readOnly),
    0xE0F5_E1E2: ("EROFS", .readOnly), 0x9660: ("ISO 9660", .readOnly),
  ]
}
