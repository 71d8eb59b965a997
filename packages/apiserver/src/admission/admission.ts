// Admission: what may change or refuse a write between decoding and storing. The chain is a list; more plugins join it.

import type { ResourceKind } from "../registry/resource-kind.js";
import type { RequestContext } from "../request/context.js";
import type { DraftObject } from "../request/draft.js";
import type { StoredObject } from "../storage/index.js";

export interface AdmissionRequest {
  readonly operation: "CREATE" | "UPDATE" | "DELETE" | "CONNECT";
  readonly kind: ResourceKind;
  readonly subresource: string | undefined;
  readonly name: string;
  readonly namespace: string | undefined;
  /** What is about to be stored; absent when deleting. Mutating plugins change it in place. */
  readonly object: DraftObject | undefined;
  readonly oldObject: StoredObject | undefined;
  readonly dryRun: boolean;
  readonly context: RequestContext;
}

/** Refuses by throwing an ApiError. */
export interface AdmissionPlugin {
  readonly name: string;
  mutate?(request: AdmissionRequest): Promise<void> | void;
  validate?(request: AdmissionRequest): Promise<void> | void;
}

/** Runs the plugins in order. */
export class AdmissionChain {
  readonly #mutating: readonly AdmissionPlugin[];
  readonly #validating: readonly AdmissionPlugin[];

  constructor(plugins: readonly AdmissionPlugin[]) {
    this.#mutating = plugins.filter((plugin) => plugin.mutate);
    this.#validating = plugins.filter((plugin) => plugin.validate);
  }

  async mutate(request: AdmissionRequest): Promise<void> {
    for (const plugin of this.#mutating) await plugin.mutate?.(request);
  }

  async validate(request: AdmissionRequest): Promise<void> {
    for (const plugin of this.#validating) await plugin.validate?.(request);
  }
}
