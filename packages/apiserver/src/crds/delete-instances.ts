// Deletes all custom resources of a CRD, without admission: a webhook could keep the CRD terminating forever.

import { type CustomResourceDefinition, isNotFound } from "@kubewright/api";
import { apiServerUser } from "@kubewright/kinds";

import { noAdmission } from "../registry/admission-control.js";
import { deleteObject } from "../registry/delete-object.js";
import type { DeleteOptions } from "../registry/delete-options.js";
import type { RequestContext, Services } from "../registry/request-context.js";
import { ServedCrd } from "./served-crd.js";
import { customTable } from "./tables.js";

const options: DeleteOptions = {
  gracePeriodSeconds: undefined,
  propagationPolicy: undefined,
  orphanDependents: undefined,
  preconditions: {},
  dryRun: false,
};

/** A time slice: rules and controllers of this folder get it from the server and never yield by themselves. */
export interface Yielding {
  yieldIfOver(): Promise<void>;
}

/** Resources with finalizers stay until their controllers remove those. */
export async function deleteInstances(
  services: Services,
  crd: CustomResourceDefinition,
  slice: Yielding,
): Promise<void> {
  const { group, names, versions } = crd.spec;
  const served = new ServedCrd(crd, services);
  const apiVersions = versions.map(({ name }) => `${group}/${name}`);
  const kinds = new Map(apiVersions.map((apiVersion) => [apiVersion, served.kindOf(apiVersion)]));
  const context = internalContext(services);
  const objects = [...services.storage.list(customTable(group, names.plural), { prefix: "" })];
  for (const { apiVersion, metadata } of objects) {
    const kind = kinds.get(apiVersion);
    if (!kind) continue;
    await slice.yieldIfOver();
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
    user: apiServerUser,
    warnings: [],
  };
}
