// Nodes. Kubelets register them with a status, and later report through the subresource.
import { Amount, type Draft, type FieldError, fieldError, type Node } from "@kubewright/api";
import type { BuiltInKind } from "../built-in-kind.js";
import { checkEach } from "../check-each.js";
import { ipFamily, validateCidr } from "../ip-address.js";
import { cidrWarnings } from "../ip-warnings.js";
import { type DraftObject, draftAs, storedAs } from "../objects.js";
import { validateQuantity } from "../pod/validate-resources.js";
import { repeated } from "../repeated.js";
import { mergeResources, roundResources } from "../resource-lists.js";
import { validateDeclaredFeatures } from "./validate-declared-features.js";
import { validateTaints } from "./validate-taints.js";

export const nodes: BuiltInKind = {
  resource: "nodes",
  keepsStatusOnCreate: true,
  strategy: {
    hasGeneration: false,
    metadata: { onUpdate: ["update", "object"] },
    selectableFields: ["spec.unschedulable"],
    selectableField: (object) => String(storedAs<Node>(object).spec?.unschedulable ?? false),
    applyDefaults: (object) => defaultNode(draftAs<Node>(object)),
    prepareForCreate: dropConfiguration,
    validateCreate: (object) => validateNode(draftAs<Node>(object)),
    validateUpdate(object, old) {
      const node = draftAs<Node>(object);
      // kube-apiserver checks a changed node as a new one first, and clients see both.
      return [...validateNode(node), ...validateNodeChange(node, storedAs<Node>(old))];
    },
    warnings: (object) => nodeWarnings(draftAs<Node>(object)),
  },
  status: {
    prepareForUpdate: dropConfiguration,
    validateUpdate: (object, old) => validateNodeChange(draftAs<Node>(object), storedAs<Node>(old)),
  },
};

const nodeWarnings = ({ spec }: Draft<Node>): string[] => [
  ...(spec?.externalID ? ["spec.externalID: this field is deprecated, and is unused by Kubernetes"] : []),
  ...(spec?.podCIDRs ?? []).flatMap((cidr, index) => cidrWarnings(cidr, `spec.podCIDRs[${index}]`)),
];

/** `podCIDR` is the first of `podCIDRs`, and decides where they differ. */
function syncPodCidrs({ spec }: Draft<Node>): void {
  const [first] = spec?.podCIDRs ?? [];
  if (!spec) return;
  if (spec.podCIDR && spec.podCIDR !== first) spec.podCIDRs = [spec.podCIDR];
  else if (first !== undefined) spec.podCIDR = first;
}

/** Nodes do not take their configuration from the API any more. */
function dropConfiguration(object: DraftObject): void {
  delete draftAs<Node>(object).status?.config;
}

function defaultNode(node: Draft<Node>): void {
  syncPodCidrs(node);
  const { status } = node;
  if (!status) return;
  roundResources(status.capacity);
  if (status.capacity && !status.allocatable) status.allocatable = mergeResources(status.capacity) ?? {};
  else roundResources(status.allocatable);
}

function validateNode(node: Draft<Node>): FieldError[] {
  return [
    ...validateTaints(node.spec?.taints ?? [], "metadata.taints"),
    ...resourceErrors(node),
    ...swapErrors(node),
    ...featureErrors(node),
    ...podCidrErrors(node.spec?.podCIDRs ?? []),
  ];
}

const resourceErrors = ({ status }: Draft<Node>): FieldError[] =>
  (["capacity", "allocatable"] as const).flatMap((part) =>
    checkEach(Object.keys(status?.[part] ?? {}), (name) =>
      validateQuantity(name, Amount.parse(status?.[part]?.[name] ?? 0), `status.${part}.${name}`),
    ),
  );

/** Reported against the metadata. */
function swapErrors({ status }: Draft<Node>): FieldError[] {
  const capacity = status?.nodeInfo?.swap?.capacity;
  return capacity === undefined || capacity > 0
    ? []
    : [fieldError.invalid("metadata.nodeSwapStatus.capacity", capacity, "must be greater than zero")];
}

const featureErrors = ({ status }: Draft<Node>): FieldError[] =>
  validateDeclaredFeatures(status?.declaredFeatures ?? [], "status.declaredFeatures");

function podCidrErrors(cidrs: readonly string[]): FieldError[] {
  const errors = checkEach(cidrs, (cidr, index) => validateCidr(cidr, `spec.podCIDRs[${index}]`));
  const families = new Set(cidrs.map((cidr) => ipFamily(cidr.split("/", 1)[0] ?? "")));
  if (cidrs.length > 1 && (cidrs.length > 2 || families.size < 2)) {
    const text = "may specify no more than one CIDR for each IP family";
    errors.push(fieldError.invalid("spec.podCIDRs", cidrs, text));
  }
  return errors;
}

function validateNodeChange(node: Draft<Node>, before: Node): FieldError[] {
  const { spec = {} } = node;
  const once = (field: string): FieldError =>
    fieldError.forbidden(
      `spec.${field}`,
      `node updates may not change ${field === "podCIDRs" ? "podCIDR" : field} except from "" to valid`,
    );
  return [
    ...resourceErrors(node),
    ...featureErrors(node),
    ...addressErrors(node),
    ...changedCidrs(spec.podCIDRs ?? [], before.spec?.podCIDRs ?? []).map(() => once("podCIDRs")),
    ...(before.spec?.providerID && before.spec.providerID !== spec.providerID ? [once("providerID")] : []),
    ...validateTaints(spec.taints ?? [], "metadata.taints"),
    ...((spec.externalID ?? "") === (before.spec?.externalID ?? "")
      ? []
      : [fieldError.forbidden("spec.externalID", "may not be updated")]),
  ];
}

/** One entry for every error: a different number of ranges is one mistake, else each changed range is. */
function changedCidrs(now: readonly string[], then: readonly string[]): readonly string[] {
  if (then.length === 0) return [];
  if (then.length !== now.length) return then.slice(0, 1);
  return then.filter((cidr, index) => cidr !== now[index]);
}

function addressErrors({ status }: Draft<Node>): FieldError[] {
  const all = status?.addresses ?? [];
  const twice = repeated(all.map(({ type, address }) => JSON.stringify([type, address])));
  return checkEach(all, (address, index) => {
    if (!twice.has(index)) return [];
    const printed = { Type: address.type, Address: address.address };
    return [fieldError.duplicate(`status.addresses[${index}]`, printed)];
  });
}
