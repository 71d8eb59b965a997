// Conversion between the versions of a CRD: by changing apiVersion only (strategy None), or by a webhook.

import type { CustomResourceDefinition } from "@kubewright/api";
import type { DraftObject } from "@kubewright/kinds";

import type { Services } from "../registry/request-context.js";
import { webhookConverter } from "./webhook-converter.js";

/** Conversion between versions. Objects handed in may be changed and handed back. */
export interface Converter {
  /** Conversion in this process; absent where a webhook must be called. */
  readonly local?: ((object: DraftObject, apiVersion: string) => DraftObject) | undefined;
  /** Many objects in one go; those in the right version already stay as they are. */
  convert(
    objects: readonly DraftObject[],
    apiVersion: string,
    signal?: AbortSignal | undefined,
  ): Promise<readonly DraftObject[]>;
}

/** The converter of a CRD's conversion strategy. */
export function converterFor(crd: CustomResourceDefinition, services: Services): Converter {
  return crd.spec.conversion?.strategy === "Webhook" ? webhookConverter(crd, services) : renaming;
}

/** Strategy None: only apiVersion changes. */
const renaming: Converter = {
  local: rename,
  convert: async (objects, apiVersion) => objects.map((object) => rename(object, apiVersion)),
};

function rename(object: DraftObject, apiVersion: string): DraftObject {
  object.apiVersion = apiVersion;
  return object;
}
