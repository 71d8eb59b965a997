// NetworkPolicies: the connections that pods may accept and open.
import {
  type FieldError,
  fieldError,
  type NetworkPolicy,
  type NetworkPolicyPeer,
  type NetworkPolicyPort,
  type NetworkPolicySpec,
  validatePortName,
  validatePortNumber,
} from "@kubewright/api";
import type { BuiltInKind } from "../built-in-kind.js";
import { checkEach } from "../check-each.js";
import { countExactGeneration } from "../count-generation.js";
import { invalidBecause } from "../field-rules.js";
import { cidrWarnings } from "../ip-warnings.js";
import { draftAs, storedAs } from "../objects.js";
import { selectorErrors } from "../selector-errors.js";
import { validateIpBlock } from "./validate-ip-block.js";

export const networkPolicies: BuiltInKind = {
  resource: "networkpolicies.networking.k8s.io",
  strategy: {
    ...countExactGeneration("spec"),
    applyDefaults(object) {
      const { spec } = draftAs<NetworkPolicy>(object);
      if (!spec) return;
      for (const { ports } of [...(spec.ingress ?? []), ...(spec.egress ?? [])])
        for (const port of ports ?? []) port.protocol ??= "TCP";
      if ((spec.policyTypes ?? []).length === 0)
        spec.policyTypes = (spec.egress ?? []).length > 0 ? ["Ingress", "Egress"] : ["Ingress"];
    },
    validateCreate: (object) => policyErrors(draftAs<NetworkPolicy>(object).spec ?? {}, []),
    validateUpdate: (object, old) =>
      policyErrors(draftAs<NetworkPolicy>(object).spec ?? {}, rangesOf(storedAs<NetworkPolicy>(old).spec)),
    warnings: (object) => policyWarnings(draftAs<NetworkPolicy>(object).spec),
  },
};

function policyWarnings({ ingress = [], egress = [] }: NetworkPolicySpec = {}): string[] {
  const ofPeers = (peers: readonly NetworkPolicyPeer[] | undefined, field: string): string[] =>
    (peers ?? []).flatMap(({ ipBlock }, index) => {
      const at = `${field}[${index}].ipBlock`;
      if (!ipBlock) return [];
      const except = (ipBlock.except ?? []).flatMap((range, place) =>
        cidrWarnings(range, `${at}.except[${place}]`),
      );
      return [...cidrWarnings(ipBlock.cidr, `${at}.cidr`), ...except];
    });
  return [
    ...ingress.flatMap(({ from }, index) => ofPeers(from, `spec.ingress[${index}].from`)),
    ...egress.flatMap(({ to }, index) => ofPeers(to, `spec.egress[${index}].to`)),
  ];
}

/** Ranges that were accepted once stay acceptable. */
function rangesOf(spec: NetworkPolicySpec = {}): string[] {
  const peers = [
    ...(spec.ingress ?? []).flatMap(({ from = [] }) => from),
    ...(spec.egress ?? []).flatMap(({ to = [] }) => to),
  ];
  return [
    ...new Set(peers.flatMap(({ ipBlock }) => (ipBlock ? [ipBlock.cidr, ...(ipBlock.except ?? [])] : []))),
  ];
}

function policyErrors(spec: NetworkPolicySpec, known: readonly string[]): FieldError[] {
  return [
    ...selectorErrors(spec.podSelector, "spec.podSelector"),
    ...checkEach(spec.ingress, ({ ports, from }, index) =>
      ruleErrors(ports, from, "from", known, `spec.ingress[${index}]`),
    ),
    ...checkEach(spec.egress, ({ ports, to }, index) =>
      ruleErrors(ports, to, "to", known, `spec.egress[${index}]`),
    ),
    ...typeErrors(spec.policyTypes ?? []),
  ];
}

function ruleErrors(
  ports: readonly NetworkPolicyPort[] = [],
  peers: readonly NetworkPolicyPeer[] = [],
  direction: string,
  known: readonly string[],
  field: string,
): FieldError[] {
  return [
    ...checkEach(ports, (port, index) => portErrors(port, `${field}.ports[${index}]`)),
    ...checkEach(peers, (peer, index) => peerErrors(peer, known, `${field}.${direction}[${index}]`)),
  ];
}

function portErrors({ port, endPort, protocol }: NetworkPolicyPort, field: string): FieldError[] {
  const protocols = ["TCP", "UDP", "SCTP"];
  const errors =
    protocol === undefined || protocols.includes(protocol)
      ? []
      : [fieldError.notSupported(`${field}.protocol`, protocol, protocols)];
  const end = `${field}.endPort`;
  const refuseEnd = (text: string): FieldError[] =>
    endPort === undefined ? [] : [fieldError.invalid(end, endPort, text)];
  if (port === undefined)
    return [...errors, ...refuseEnd("may not be specified when `port` is not specified")];
  if (typeof port === "string") {
    errors.push(...refuseEnd("may not be specified when `port` is non-numeric"));
    return [...errors, ...invalidBecause(validatePortName(port), port, `${field}.port`)];
  }
  errors.push(...invalidBecause(validatePortNumber(port), port, `${field}.port`));
  if (endPort === undefined) return errors;
  // kube-apiserver shows the other number.
  if (endPort < port) errors.push(fieldError.invalid(end, port, "must be greater than or equal to `port`"));
  return [...errors, ...invalidBecause(validatePortNumber(endPort), endPort, end)];
}

function peerErrors(peer: NetworkPolicyPeer, known: readonly string[], field: string): FieldError[] {
  const { podSelector, namespaceSelector, ipBlock } = peer;
  const errors = [
    ...selectorErrors(podSelector, `${field}.podSelector`),
    ...selectorErrors(namespaceSelector, `${field}.namespaceSelector`),
    ...(ipBlock ? validateIpBlock(ipBlock, known, `${field}.ipBlock`) : []),
  ];
  if (!podSelector && !namespaceSelector && !ipBlock)
    errors.push(fieldError.required(field, "must specify a peer"));
  if (ipBlock && (podSelector || namespaceSelector))
    errors.push(fieldError.forbidden(field, "may not specify both ipBlock and another peer"));
  return errors;
}

function typeErrors(types: readonly string[]): FieldError[] {
  const field = "spec.policyTypes";
  const allowed = ["Ingress", "Egress"];
  if (types.length > 2)
    return [fieldError.invalid(field, types, "may not specify more than two policyTypes")];
  return checkEach(types, (type, index) =>
    allowed.includes(type) ? [] : [fieldError.notSupported(`${field}[${index}]`, type, allowed)],
  );
}
