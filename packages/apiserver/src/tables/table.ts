// Server-side printing: what `kubectl get` shows is decided here, not in kubectl.
import type { GroupVersionKind, JsonObject, JsonValue } from "@kubewright/api";

export interface TableColumn {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  /** 0 is always shown, more only with `-o wide`. */
  readonly priority: number;
}

export interface TableRow {
  readonly cells: readonly JsonValue[];
  readonly conditions?: readonly JsonObject[] | undefined;
  readonly object?: JsonValue | undefined;
}

/** `?includeObject=`: what a row carries beside its cells. */
export type IncludeObject = "None" | "Metadata" | "Object";

/** A column of a custom kind, as its definition states it. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: string;
  readonly jsonPath: string;
  readonly format?: string | undefined;
  readonly description?: string | undefined;
  readonly priority?: number | undefined;
}

export interface TableOptions {
  readonly gvk: GroupVersionKind;
  /** For custom kinds: `additionalPrinterColumns` of the version, `[]` when it has none. Absent for built-in kinds. */
  readonly columns?: readonly PrinterColumn[] | undefined;
  /** Milliseconds since the epoch; ages are counted from here. */
  readonly now: number;
  readonly includeObject: IncludeObject;
  /** Version of meta.k8s.io asked for. */
  readonly version: "v1" | "v1beta1";
  /** `metadata` of the list; absent for a single object. */
  readonly listMeta?: JsonObject | undefined;
}

/** Prints objects of one kind as a `Table`. */
export function tableFor(_objects: readonly JsonObject[], _options: TableOptions): JsonObject {
  throw new Error("not implemented yet");
}
