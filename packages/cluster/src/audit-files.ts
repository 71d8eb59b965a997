// The files that auditing is about, as options name them.
import { mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import {
  type AuditLogOptions,
  type AuditOptions,
  AuditPolicyError,
  openAuditLog,
  parseAuditPolicy,
} from "@kubewright/apiserver";

interface AuditFiles {
  readonly auditLog?: string | undefined;
  readonly auditPolicy?: string | undefined;
  readonly auditLogLimits?: AuditLogLimits | undefined;
}

/** When an audit log is put aside and a new one begun, and how long those put aside are kept. */
export type AuditLogLimits = Pick<AuditLogOptions, "maxBytes" | "maxBackups" | "maxAge">;

/** Auditing to a file, until it is closed. */
export interface OpenAudit extends AuditOptions {
  close(): void;
}

/** Reads the policy and opens the log; undefined where none is wanted. */
export function openAudit(
  { auditLog: file, auditPolicy: policyFile, auditLogLimits }: AuditFiles,
  report: (where: string, error: unknown) => void,
): OpenAudit | undefined {
  if (file === undefined && policyFile !== undefined)
    throw new AuditPolicyError(`${policyFile}: an audit policy needs an audit log`);
  if (file === undefined) return undefined;
  const policy =
    policyFile === undefined ? undefined : parseAuditPolicy(readFileSync(policyFile, "utf8"), policyFile);
  mkdirSync(dirname(file), { recursive: true });
  return {
    policy,
    ...openAuditLog(file, { ...auditLogLimits, onError: (error) => report("audit log", error) }),
  };
}
