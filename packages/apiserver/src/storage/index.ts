export {
  MemoryStorage,
  type MemoryStorageOptions,
  type StorageContents,
  type StorageRow,
} from "./memory-storage.js";
export {
  type Change,
  CompactedError,
  type Expectation,
  type ListQuery,
  RevisionConflict,
  type Storage,
  type StoredObject,
  type Unstamped,
} from "./storage.js";
