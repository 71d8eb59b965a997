// `namespaceObject`: the namespace the object of a request is in.

import { notFound } from "@kubewright/kinds";
import { namespaceObject } from "../expressions/admission-bindings.js";
import { isNamespaceKind } from "../matching/admission-target.js";
import type { MatchSubject } from "../matching/match-request.js";

/** Null for what is in no namespace, and for namespaces themselves. */
export function namespaceObjectFor({ request, namespace: name }: MatchSubject): unknown {
  if (name === "" || isNamespaceKind(request.kind)) return null;
  const found = request.context.services.storage.get("namespaces", name);
  if (!found) throw notFound({ group: "", resource: "namespaces", name });
  return namespaceObject(found);
}
