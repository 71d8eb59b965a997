// How objects get from one version of a definition to another: by changing the name of the version, or by a webhook.
import type { CustomResourceDefinition } from "@kubewright/api";
import type { Services } from "../request/context.js";
import type { DraftObject } from "../request/draft.js";
import { webhookConverter } from "./webhook-converter.js";

/** Conversion between versions. Objects handed in may be changed and handed back. */
export interface Converter {
  /** Conversion that needs no one else; absent where a webhook must be asked. */
  readonly local?: ((object: DraftObject, apiVersion: string) => DraftObject) | undefined;
  /** Many objects in one go; those in the right version already stay as they are. */
  convert(
    objects: readonly DraftObject[],
    apiVersion: string,
    signal?: AbortSignal | undefined,
  ): Promise<readonly DraftObject[]>;
}

/** The converter a definition asks for. */
export function converterFor(definition: CustomResourceDefinition, services: Services): Converter {
  return definition.spec.conversion?.strategy === "Webhook"
    ? webhookConverter(definition, services)
    : renaming;
}

/** All versions have one shape; only the name differs. */
const renaming: Converter = {
  local: rename,
  convert: async (objects, apiVersion) => objects.map((object) => rename(object, apiVersion)),
};

function rename(object: DraftObject, apiVersion: string): DraftObject {
  object.apiVersion = apiVersion;
  return object;
}
