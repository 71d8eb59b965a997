// NamespaceLifecycle: objects are created only in namespaces that exist and are not terminating; some namespaces cannot be deleted.

import type { Namespace } from "@kubewright/api";
import { notFound } from "@kubewright/kinds";

import type { AdmissionRequest } from "../registry/admission-control.js";
import type { ResourceKind } from "../registry/resource-kind.js";
import type { AdmissionPlugin } from "./admission.js";
import { refused } from "./refuse.js";

const immortal = new Set(["default", "kube-system", "kube-public"]);

export const namespaceLifecycle: AdmissionPlugin = {
  name: "NamespaceLifecycle",
  mutate(request) {
    const { kind, operation, namespace, name } = request;
    if (isNamespace(kind)) {
      if (operation === "DELETE" && immortal.has(name))
        throw refused(request, "this namespace may not be deleted");
      return;
    }
    if (!namespace || operation === "DELETE" || isAccessReview(kind)) return;
    checkNamespace(request, namespace);
  },
};

const isNamespace = ({ group, kind }: ResourceKind): boolean => group === "" && kind === "Namespace";

const isAccessReview = ({ group, kind }: ResourceKind): boolean =>
  group === "authorization.k8s.io" && kind === "LocalSubjectAccessReview";

function checkNamespace(request: AdmissionRequest, name: string): void {
  const { storage } = request.context.services;
  const found = storage.get("namespaces", name) as Namespace | undefined;
  if (!found) throw notFound({ group: "", resource: "namespaces", name });
  if (request.operation !== "CREATE" || found.status?.phase !== "Terminating") return;
  throw refused(request, `unable to create new content in namespace ${name} because it is being terminated`, [
    {
      reason: "NamespaceTerminating",
      message: `namespace ${name} is being terminated`,
      field: "metadata.namespace",
    },
  ]);
}
