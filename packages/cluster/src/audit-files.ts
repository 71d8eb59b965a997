// The files that auditing is about, as options name them.
import { mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Clock } from "@kubewright/api";
import {
  type AuditLogOptions,
  type AuditOptions,
  type AuditPolicy,
  AuditPolicyError,
  AuditWebhook,
  type AuditWebhookOptions,
  openAuditLog,
  parseAuditPolicy,
} from "@kubewright/apiserver";
import { auditReceiver } from "./audit-webhook-file.js";

/** The audit files. */
export interface AuditFiles {
  readonly auditLog?: string | undefined;
  readonly auditPolicy?: string | undefined;
  readonly auditLogLimits?: AuditLogLimits | undefined;
  readonly auditWebhook?: AuditWebhookFile | undefined;
  readonly clock?: Clock | undefined;
}

/** When an audit log is rotated, and how long rotated files are kept. */
export type AuditLogLimits = Pick<AuditLogOptions, "maxBytes" | "maxBackups" | "maxAge">;

/** The audit webhook, and how events are sent to it. */
export interface AuditWebhookFile
  extends Pick<AuditWebhookOptions, "mode" | "batch" | "initialBackoff" | "truncate"> {
  /** A file in the format of a kubeconfig that names the server, its CA and the credentials for it. */
  readonly config: string;
}

/** Auditing to a file or to someone else, until it is closed. */
export interface OpenAudit extends AuditOptions {
  close(): Promise<void>;
}

type Report = (where: string, error: unknown) => void;

/** Reads the policy and opens what it is for; undefined where nothing is wanted. */
export async function openAudit(files: AuditFiles, report: Report): Promise<OpenAudit | undefined> {
  const { auditLog: file, auditPolicy: policyFile, auditWebhook } = files;
  if (file === undefined && auditWebhook === undefined) {
    if (policyFile === undefined) return undefined;
    throw new AuditPolicyError(`${policyFile}: an audit policy needs an audit log or an audit webhook`);
  }
  const policy = policyFile === undefined ? undefined : readPolicy(policyFile);
  const sent = auditWebhook && (await openWebhook(auditWebhook, files.clock, report));
  const log = file === undefined ? undefined : openLog(file, files.auditLogLimits, report);
  return {
    policy,
    write: log?.write,
    webhook: sent?.webhook,
    close: async () => {
      log?.close();
      await sent?.close();
    },
  };
}

const readPolicy = (file: string): AuditPolicy => parseAuditPolicy(readFileSync(file, "utf8"), file);

function openLog(file: string, limits: AuditLogLimits | undefined, report: Report) {
  mkdirSync(dirname(file), { recursive: true });
  return openAuditLog(file, { ...limits, onError: (error) => report("audit log", error) });
}

async function openWebhook(
  { config, ...options }: AuditWebhookFile,
  clock: Clock | undefined,
  report: Report,
) {
  const receiver = await auditReceiver(config);
  const onError = (error: unknown): void => report("audit webhook", error);
  const webhook = new AuditWebhook({ ...options, post: receiver.post, clock, onError });
  const close = async (): Promise<void> => {
    await webhook.close();
    await receiver.close();
  };
  return { webhook, close };
}
