// The audit record of a request: annotations, the impersonated user, and the request object, collected while it is served.

import { cloneJson, type ObjectMeta } from "@kubewright/api";
import type { UserInfo } from "@kubewright/kinds";

import type { AuditLevel } from "./policy.js";

const levels: readonly AuditLevel[] = ["None", "Metadata", "Request", "RequestResponse"];

export class AuditRecord {
  readonly #level: AuditLevel;
  readonly #annotations = new Map<string, string>();
  #impersonated: UserInfo | undefined;
  #mode = "";
  #requested: unknown;
  #sent: ObjectMeta | undefined;

  constructor(level: AuditLevel) {
    this.#level = level;
  }

  /** Adds an annotation; the first value of a key stays. With a level, only from that level on. */
  annotate(key: string, value: string, from: AuditLevel = "Metadata"): void {
    if (!this.#reaches(from) || this.#annotations.has(key)) return;
    this.#annotations.set(key, value);
  }

  /** The request goes on as that user; the mode says how far that goes, where it has limits. */
  actsFor(user: UserInfo, mode: string): void {
    this.#impersonated = user;
    this.#mode = mode;
  }

  /** The constraint of the impersonation, where it is constrained. */
  get constraint(): string | undefined {
    return this.#mode === "" ? undefined : `impersonate:${this.#mode}`;
  }

  /** The request object as decoded. It is copied, because the caller changes it afterwards. */
  wasSent(object: { readonly metadata?: ObjectMeta | undefined }): void {
    if (this.#sent) return;
    const { name, namespace, uid, resourceVersion } = object.metadata ?? {};
    this.#sent = { name, namespace, uid, resourceVersion };
    if (this.#reaches("Request")) this.#requested = cloneJson(object);
  }

  /** The metadata of the request object. */
  get sent(): ObjectMeta | undefined {
    return this.#sent;
  }

  get annotations(): Readonly<Record<string, string>> | undefined {
    return this.#annotations.size === 0 ? undefined : Object.fromEntries(this.#annotations);
  }

  get impersonated(): UserInfo | undefined {
    return this.#impersonated;
  }

  get requested(): unknown {
    return this.#requested;
  }

  #reaches(level: AuditLevel): boolean {
    return this.#level !== "None" && levels.indexOf(this.#level) >= levels.indexOf(level);
  }
}
