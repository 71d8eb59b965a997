// Admission as the registry calls it: plugins may change a write before it is validated, or refuse it.

import type { DraftObject, StoredObject, Transaction } from "@kubewright/kinds";
import type { RequestContext } from "./request-context.js";
import type { ResourceKind } from "./resource-kind.js";

/** A request as admission plugins see it. */
export interface AdmissionRequest {
  readonly operation: "CREATE" | "UPDATE" | "DELETE" | "CONNECT";
  readonly kind: ResourceKind;
  readonly subresource: string | undefined;
  readonly name: string;
  readonly namespace: string | undefined;
  /** The object about to be stored; absent when deleting. Mutating plugins change it in place. */
  readonly object: DraftObject | undefined;
  readonly oldObject: StoredObject | undefined;
  readonly dryRun: boolean;
  readonly context: RequestContext;
}

/** Refuses by throwing an ApiError. */
export interface AdmissionControl {
  mutate(request: AdmissionRequest): Promise<void>;
  /** Resolves to what was taken for the write (of a quota); the caller reports whether the write went through. */
  validate(request: AdmissionRequest): Promise<Transaction | undefined>;
}

/** Admits everything: for writes of the server itself. */
export const noAdmission: AdmissionControl = {
  mutate: () => Promise.resolve(),
  validate: () => Promise.resolve(undefined),
};
