export {
  hashOfFile,
  keepNewest,
  openStore,
  placeOfStore,
  type Retention,
  type StorePlace,
  storeFolders,
  storeVolumes,
} from "./agent-store.js";
export {
  type BackupPlan,
  type BackupPlanInput,
  type BackupState,
  planBackups,
  retentionOf,
  type ScheduledBackup,
  scheduledPrefix,
} from "./backup-plan.js";
export type { S3Credentials } from "./s3-signature.js";
export { type S3Place, S3Store } from "./s3-store.js";
export {
  type BackupSchedule,
  backupSchedule,
  type SnapshotSource,
  type SnapshotTarget,
  snapshotSource,
  snapshotTarget,
} from "./snapshot-place.js";
export { FolderStore, type SnapshotStore } from "./snapshot-store.js";
