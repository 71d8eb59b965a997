// The Node authorizer: kubelets may do what the role `system:node` allows with objects that belong to their node, and nothing
// with others. Where a path does not name the object, the admission plugin NodeRestriction decides.

import { FieldMatcher, type PolicyRule } from "@kubewright/api";
import { type Authorizer, type Decision, type ResourceQuestion, ruleAllows } from "@kubewright/kinds";

import type { Storage } from "../../storage/index.js";
import { clusterPolicy } from "../rbac/bootstrap-policy.js";
import { PolicyReader } from "../rbac/policy-reader.js";
import { nodeOf } from "./node-identity.js";
import { isRelated, type RelatedKind } from "./node-relations.js";

const no = (reason = ""): Decision => ({ allowed: false, reason });
const yes: Decision = { allowed: true, reason: "" };
const leaseNamespace = "kube-node-lease";

/** Answers for kubelets; of everyone else it has no opinion. */
export function nodeAuthorizer(storage: Storage): Authorizer {
  let rules: readonly PolicyRule[] | undefined;
  return (question) => {
    const node = nodeOf(question.user);
    if (node === undefined) return no();
    if (node === "") return no(`unknown node for user ${JSON.stringify(question.user.name)}`);
    if (question.kind === "resource") {
      const decide = special.get(
        question.group === "" ? question.resource : `${question.resource}.${question.group}`,
      );
      if (decide) return decide({ ...question, node, storage });
    }
    rules ??= nodeRules();
    return rules.some((rule) => ruleAllows(rule, question)) ? yes : no();
  };
}

function nodeRules(): readonly PolicyRule[] {
  return new PolicyReader().read(clusterPolicy).find(({ name }) => name === "system:node")?.rules ?? [];
}

type NodeQuestion = ResourceQuestion & { readonly node: string; readonly storage: Storage };
type Decide = (question: NodeQuestion) => Decision;

const special: ReadonlyMap<string, Decide> = new Map<string, Decide>([
  ["secrets", (question) => readNamespaced(question, "secrets")],
  ["configmaps", (question) => readNamespaced(question, "configmaps")],
  ["persistentvolumeclaims", decideClaim],
  ["persistentvolumes", (question) => getOne(question, "persistentvolumes")],
  ["resourceclaims.resource.k8s.io", (question) => getOne(question, "resourceclaims")],
  ["volumeattachments.storage.k8s.io", (question) => getOne(question, "volumeattachments")],
  ["serviceaccounts", decideAccount],
  ["leases.coordination.k8s.io", decideLease],
  ["csinodes.storage.k8s.io", decideCsiNode],
  ["resourceslices.resource.k8s.io", decideSlice],
  ["nodes", decideNode],
  ["pods", decidePod],
]);

function related({ storage, node, namespace, name }: NodeQuestion, kind: RelatedKind): Decision {
  if (name === "") return no("No Object name found");
  return isRelated(storage, node, kind, namespace, name)
    ? yes
    : no(`no relationship found between node '${node}' and this object`);
}

function getOne(question: NodeQuestion, kind: RelatedKind): Decision {
  if (question.verb !== "get") return no("can only get individual resources of this type");
  return question.subresource === "" ? related(question, kind) : no("cannot get subresource");
}

const reading = ["get", "list", "watch"];

function readNamespaced(question: NodeQuestion, kind: "secrets" | "configmaps"): Decision {
  if (!reading.includes(question.verb)) return no("can only read resources of this type");
  if (question.subresource !== "") return no("cannot read subresource");
  return question.namespace === ""
    ? no("can only read namespaced object of this type")
    : related(question, kind);
}

const changing = ["update", "patch"];

function decideClaim(question: NodeQuestion): Decision {
  if (question.subresource !== "status") return getOne(question, "persistentvolumeclaims");
  return changing.includes(question.verb)
    ? related(question, "persistentvolumeclaims")
    : no("can only get/update/patch this type");
}

function decideAccount(question: NodeQuestion): Decision {
  const { verb, name, subresource } = question;
  if (verb === "get" && subresource === "") return related(question, "serviceaccounts");
  if (verb !== "create" || name === "") return no("can only create tokens for individual service accounts");
  return subresource === "token"
    ? related(question, "serviceaccounts")
    : no("can only create token subresource of serviceaccount");
}

const owning = ["get", "create", "update", "patch", "delete"];

function decideLease({ verb, namespace, name, node }: NodeQuestion): Decision {
  if (!owning.includes(verb)) return no("can only get, create, update, patch, or delete a node lease");
  if (namespace !== leaseNamespace)
    return no(`can only access leases in the "${leaseNamespace}" system namespace`);
  return verb === "create" || name === node
    ? yes
    : no("can only access node lease with the same name as the requesting node");
}

function decideCsiNode({ verb, subresource, name, node }: NodeQuestion): Decision {
  if (!owning.includes(verb)) return no("can only get, create, update, patch, or delete a CSINode");
  if (subresource !== "") return no("cannot authorize CSINode subresources");
  return verb === "create" || name === node
    ? yes
    : no("can only access CSINode with the same name as the requesting node");
}

function decideSlice(question: NodeQuestion): Decision {
  if (question.subresource !== "") return no("cannot authorize ResourceSlice subresources");
  switch (question.verb) {
    case "create":
      return yes;
    case "get":
    case "update":
    case "patch":
    case "delete":
      return related(question, "resourceslices");
    case "watch":
    case "list":
    case "deletecollection":
      return isSelecting(question, "spec.nodeName")
        ? yes
        : no("can only list/watch/deletecollection resourceslices with nodeName field selector");
    default:
      return no(
        "only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, patch, delete, deletecollection",
      );
  }
}

function decideNode({ verb, subresource, name, node }: NodeQuestion): Decision {
  if (subresource === "status") return changing.includes(verb) ? yes : no();
  if (subresource !== "") return no();
  if (verb === "create" || changing.includes(verb)) return yes;
  if (!reading.includes(verb)) return no();
  if (name === node) return yes;
  return no(
    name === ""
      ? `node '${node}' cannot read all nodes, only its own Node object`
      : `node '${node}' cannot read '${name}', only its own Node object`,
  );
}

function decidePod(question: NodeQuestion): Decision {
  const { verb, subresource, name } = question;
  if (subresource === "status") return changing.includes(verb) ? yes : no();
  if (subresource === "eviction") return verb === "create" ? yes : no();
  if (subresource !== "") return no();
  if (verb === "create" || verb === "delete") return yes;
  if (verb === "get") return related(question, "pods");
  if (!reading.includes(verb)) return no();
  if (isSelecting(question, "spec.nodeName")) return yes;
  return name === ""
    ? no("can only list/watch pods with spec.nodeName field selector")
    : related(question, "pods");
}

/** Whether what is asked for is limited to the node. */
function isSelecting({ fieldSelector, node }: NodeQuestion, field: string): boolean {
  if (fieldSelector === undefined) return false;
  try {
    return FieldMatcher.parse(fieldSelector).exactValue(field) === node;
  } catch {
    return false;
  }
}
