// Where snapshots lie: in a folder of a volume claim, or in a bucket of S3-compatible storage.
import { exactlyOneOf, z } from "@kubewright/schema";

/** Names that lead nowhere else: no part begins with a dot. */
const inside = /^[A-Za-z0-9_-][A-Za-z0-9_.-]*(\/[A-Za-z0-9_-][A-Za-z0-9_.-]*)*$/;

const claim = z
  .object({
    claimName: z.string().min(1).max(253).describe("Name of the PersistentVolumeClaim"),
    folder: z
      .string()
      .max(512)
      .regex(inside)
      .optional()
      .describe("Folder of the volume. Default: the name of the cluster"),
  })
  .describe("A folder of a volume claim in the same namespace");

const s3 = z
  .object({
    endpoint: z
      .string()
      .max(1024)
      .regex(/^https?:\/\//)
      .describe("URL of the service, such as https://s3.eu-central-1.amazonaws.com"),
    bucket: z.string().min(3).max(63).describe("Name of the bucket; it must exist"),
    prefix: z
      .string()
      .max(512)
      .optional()
      .describe("Prefix of object keys. Default: the name of the cluster"),
    region: z.string().max(64).optional().describe("Region of the bucket. Default: us-east-1"),
    credentialsSecret: z
      .string()
      .max(253)
      .describe(
        "A Secret with accessKeyId and secretAccessKey, and sessionToken and ca.crt where they are needed",
      ),
  })
  .describe("A bucket of S3-compatible storage");

/** Where snapshots are written to. */
export const snapshotTarget = z
  .object({ claim: claim.optional(), s3: s3.optional() })
  .check(exactlyOneOf("claim", "s3"));

/** One snapshot: that of a backup, by its kind with an article ("An EtcdBackup"), or a file. */
export const snapshotSource = (backup: string) =>
  z
    .object({
      backupName: z.string().max(253).optional().describe(`${backup} in the same namespace`),
      snapshot: z
        .object({
          claim: claim.optional(),
          s3: s3.optional(),
          file: z
            .string()
            .min(1)
            .max(512)
            .regex(inside)
            .describe("Its name in the folder, or under the prefix"),
          sha256: z
            .string()
            .regex(/^[0-9a-f]{64}$/)
            .optional()
            .describe("SHA-256 of the file, in hexadecimal; checked if it is given"),
        })
        .check(exactlyOneOf("claim", "s3"))
        .optional()
        .describe("A file that was stored before, without an object for the backup"),
    })
    .check(exactlyOneOf("backupName", "snapshot"));

/** Backups at certain times, as a spec has them. */
export const backupSchedule = z
  .object({
    schedule: z
      .string()
      .max(200)
      .describe("When, as in a CronTab: 5 or 6 cron fields, or @hourly and the like"),
    timeZone: z.string().max(64).optional().describe("Time zone of the schedule. Default: UTC"),
    target: snapshotTarget.describe("Where the snapshots are stored"),
    keep: z.int32().min(1).max(1000).optional().describe("Backups kept. Default: 7"),
  })
  .optional()
  .describe("Takes backups at certain times");

/** Where snapshots are written to. */
export type SnapshotTarget = z.infer<typeof snapshotTarget>;
/** One snapshot. */
export type SnapshotSource = z.infer<ReturnType<typeof snapshotSource>>;
/** Backups at certain times. */
export type BackupSchedule = NonNullable<z.infer<typeof backupSchedule>>;
