// Objects that a service account token is bound to: the token is invalid once its object is deleted.

import type { BoundObjectReference, Pod } from "@kubewright/api";
import { badRequest, conflict, notFound, type StoredObject, storedAs } from "@kubewright/kinds";
import type { ObjectIdentity, TokenSubject } from "../auth/service-account-tokens.js";

import type { Storage } from "../storage/index.js";

/** The claims about the object a token is bound to. Throws when it is not there, or not to be bound to. */
export function findBoundObject(
  storage: Storage,
  namespace: string,
  account: string,
  ref: BoundObjectReference,
): Pick<TokenSubject, "pod" | "secret" | "node"> {
  const { apiVersion = "", kind = "", name = "" } = ref;
  const [group = "", version] = apiVersion.includes("/") ? apiVersion.split("/", 2) : ["", apiVersion];
  const find = (resource: string, key: string): StoredObject => {
    const object = storage.get(resource, key);
    if (!object) throw notFound({ group: "", resource, name });
    return object;
  };
  switch (group === "" ? kind : "") {
    case "Pod": {
      const pod = find("pods", `${namespace}/${name}`);
      const { spec } = storedAs<Pod>(pod);
      if (spec?.serviceAccountName !== account)
        throw badRequest(
          `cannot bind token for serviceaccount "${account}" to pod running with different serviceaccount name.`,
        );
      const node = spec.nodeName ? { node: nodeIdentity(storage, spec.nodeName) } : {};
      return { pod: confirmed(ref, pod), ...node };
    }
    case "Secret":
      return { secret: confirmed(ref, find("secrets", `${namespace}/${name}`)) };
    case "Node":
      return { node: confirmed(ref, find("nodes", name)) };
    default:
      throw badRequest(`cannot bind token to object of type ${group}/${version}, Kind=${kind}`);
  }
}

/** A pod may run on a node that has not been registered. */
function nodeIdentity(storage: Storage, name: string): ObjectIdentity {
  const uid = storage.get("nodes", name)?.metadata.uid;
  return uid === undefined ? { name } : { name, uid };
}

/** The object, unless the reference was to an earlier one of that name. */
function confirmed(
  { kind = "", name = "", uid }: BoundObjectReference,
  object: StoredObject,
): ObjectIdentity {
  if (uid && uid !== object.metadata.uid) {
    const text = `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`;
    throw conflict({ group: "", resource: kind, name }, text);
  }
  return { name, uid: object.metadata.uid };
}
