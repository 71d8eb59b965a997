// Deletes all resources of a definition. Nobody is asked: admission could only keep the definition from ever going.
import { type CustomResourceDefinition, isNotFound } from "@kubewright/api";
import { itself } from "../kinds/user.js";
import { noAdmission } from "../registry/admission-control.js";
import { deleteObject } from "../registry/delete-object.js";
import type { DeleteOptions } from "../registry/delete-options.js";
import type { RequestContext, Services } from "../request/context.js";
import { ServedDefinition } from "./served-definition.js";
import { customTable } from "./tables.js";

const options: DeleteOptions = {
  gracePeriodSeconds: undefined,
  propagationPolicy: undefined,
  orphanDependents: undefined,
  preconditions: {},
  dryRun: false,
};

/** Those with finalizers stay until whoever put them there is done. */
export async function deleteInstances(
  services: Services,
  definition: CustomResourceDefinition,
): Promise<void> {
  const { group, names } = definition.spec;
  const served = new ServedDefinition(definition, services);
  const context = internalContext(services);
  const objects = [...services.storage.list(customTable(group, names.plural), { prefix: "" })];
  for (const { apiVersion, metadata } of objects) {
    const kind = served.kindOf(apiVersion);
    if (!kind) continue;
    try {
      await deleteObject(context, kind, metadata.namespace, metadata.name, options);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}

function internalContext(services: Services): RequestContext {
  const path = "/apis";
  return {
    services: { ...services, admission: noAdmission },
    request: { method: "DELETE", path },
    info: { kind: "path", verb: "delete", path },
    query: new URLSearchParams(),
    user: itself,
    warnings: [],
  };
}
