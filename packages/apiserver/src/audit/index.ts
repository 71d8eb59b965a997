export type { AuditEvent, AuditUser } from "./audit-event.js";
export { type AuditLog, type AuditLogOptions, openAuditLog } from "./audit-log.js";
export type { AuditOptions } from "./auditor.js";
export { AuditPolicyError, parseAuditPolicy } from "./parse-policy.js";
export type { AuditLevel, AuditPolicy, AuditRule, AuditStage, GroupResources } from "./policy.js";
export { RequestLog, type RequestLogEntry } from "./request-log.js";
