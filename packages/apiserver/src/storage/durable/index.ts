export { DataError } from "./data-error.js";
export { syncDirectory } from "./data-files.js";
export { DataDirectoryInUseError } from "./directory-lock.js";
export { JournalError } from "./durable-journal.js";
export { type DurableStorage, type DurableStorageOptions, openDurableStorage } from "./durable-storage.js";
export type { TornTail } from "./recover.js";
