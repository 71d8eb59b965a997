export {
  DataDirectoryInUseError,
  DataError,
  type DurableStorage,
  type DurableStorageOptions,
  JournalError,
  openDurableStorage,
  syncDirectory,
  type TornTail,
} from "./durable/index.js";
export { defaultEventTtl, EventExpiry } from "./event-expiry.js";
export { sizeOfJson } from "./freeze-sized.js";
export type { Journal } from "./journal.js";
export {
  MemoryStorage,
  type MemoryStorageOptions,
  type StorageContents,
  type StorageRow,
} from "./memory-storage.js";
export { restoreContents } from "./restore-contents.js";
export {
  type Change,
  CompactedError,
  type Expectation,
  type ListQuery,
  ObjectTooLarge,
  RevisionConflict,
  type Storage,
  type Unstamped,
} from "./storage.js";
