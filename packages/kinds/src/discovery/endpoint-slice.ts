// EndpointSlices: where the pods of a service are.
import {
  deepEqual,
  type Endpoint,
  type EndpointSlice,
  type FieldError,
  fieldError,
  validateDns1123Label,
  validateDns1123Subdomain,
  validateFullyQualifiedDomainName,
  validateLabelValue,
  validateQualifiedName,
} from "@kubewright/api";
import type { BuiltInKind } from "../built-in-kind.js";
import { checkEach } from "../check-each.js";
import { protocols } from "../core/service/validate-service-ports.js";
import { countGeneration } from "../count-generation.js";
import { immutable, invalidBecause, oneOf, oneOfIfSet } from "../field-rules.js";
import { ipFamily, validateIp, validateReachable } from "../ip-address.js";
import { ipWarnings } from "../ip-warnings.js";
import { type DraftObject, draftAs, storedAs } from "../objects.js";
import { bumpGeneration } from "../status-strategy.js";

const limits = { endpoints: 1000, addresses: 100, ports: 20_000, hints: 8 };

type Ports = NonNullable<EndpointSlice["ports"]>;

export const endpointSlices: BuiltInKind = {
  resource: "endpointslices.discovery.k8s.io",
  strategy: {
    hasGeneration: true,
    metadata: { onUpdate: ["object"] },
    applyDefaults(object) {
      for (const port of draftAs<EndpointSlice>(object).ports ?? []) {
        port.name ??= "";
        port.protocol ??= "TCP";
      }
    },
    prepareForCreate: dropTopology,
    prepareForUpdate(object, old, context) {
      dropTopology(object);
      countGeneration("addressType", "endpoints", "ports").prepareForUpdate(object, old, context);
      if (!deepEqual(object.metadata.labels ?? {}, old.metadata.labels ?? {})) bumpGeneration(object, old);
    },
    validateCreate: (object) => validateSlice(draftAs<EndpointSlice>(object), undefined),
    validateUpdate(object, old) {
      const slice = draftAs<EndpointSlice>(object);
      const before = storedAs<EndpointSlice>(old);
      return [
        ...validateSlice(slice, before),
        ...immutable(slice.addressType, before.addressType, "addressType"),
      ];
    },
    warnings: (object, old) => [
      ...(old ? [] : deprecationWarnings(draftAs<EndpointSlice>(object))),
      ...addressWarnings(draftAs<EndpointSlice>(object)),
    ],
  },
};

/** Topology labels are of an older version of the API; in this one zone and node have fields of their own. */
function dropTopology(object: DraftObject): void {
  for (const endpoint of draftAs<EndpointSlice>(object).endpoints ?? []) delete endpoint.deprecatedTopology;
}

const managedBy = "endpointslice.kubernetes.io/managed-by";
/** Controllers put the addresses they copy in order. */
const ownControllers = ["endpointslice-controller.k8s.io", "endpointslicemirroring-controller.k8s.io"];

const deprecationWarnings = ({ addressType }: EndpointSlice): string[] =>
  addressType === "FQDN" ? ["spec.addressType: FQDN endpoints are deprecated"] : [];

function addressWarnings({ metadata, endpoints }: EndpointSlice): string[] {
  if (ownControllers.includes(metadata?.labels?.[managedBy] ?? "")) return [];
  return (endpoints ?? []).flatMap((endpoint, index) =>
    (endpoint.addresses ?? []).flatMap((address, at) =>
      ipWarnings(address, `endpoints[${index}].addresses[${at}]`),
    ),
  );
}

function validateSlice(slice: EndpointSlice, before: EndpointSlice | undefined): FieldError[] {
  const { addressType } = slice;
  // Empty lists are null here, as Go prints them.
  const endpoints = slice.endpoints ?? [];
  return [
    ...oneOf(addressType, ["FQDN", "IPv4", "IPv6"], "addressType"),
    ...portErrors(slice.ports ?? []),
    // Endpoints that did not change may be older than the rules.
    ...(before && deepEqual(endpoints, before.endpoints ?? [])
      ? []
      : endpointListErrors(endpoints, addressType)),
  ];
}

function endpointListErrors(endpoints: readonly Endpoint[], type: string): FieldError[] {
  if (endpoints.length > limits.endpoints) return tooMany(endpoints, limits.endpoints, "endpoints");
  return checkEach(endpoints, (endpoint, index) => endpointErrors(endpoint, type, `endpoints[${index}]`));
}

const tooMany = (items: readonly unknown[], limit: number, field: string): FieldError[] =>
  items.length > limit ? [fieldError.tooMany(field, items.length, limit)] : [];

function endpointErrors(endpoint: Endpoint, type: string, field: string): FieldError[] {
  const { nodeName, hostname, hints } = endpoint;
  const addresses = endpoint.addresses ?? [];
  const at = `${field}.addresses`;
  return [
    ...(addresses.length === 0
      ? [fieldError.required(at, "must contain at least 1 address")]
      : tooMany(addresses, limits.addresses, at)),
    ...checkEach(addresses, (address, index) => addressErrors(address, type, at, index)),
    ...(nodeName === undefined
      ? []
      : invalidBecause(validateDns1123Subdomain(nodeName), nodeName, `${field}.nodeName`)),
    ...(hostname === undefined
      ? []
      : invalidBecause(validateDns1123Label(hostname), hostname, `${field}.hostname`)),
    ...hintErrors(hints?.forZones ?? [], validateLabelValue, `${field}.hints.forZones`),
    ...hintErrors(hints?.forNodes ?? [], validateDns1123Subdomain, `${field}.hints.forNodes`),
  ];
}

/** An address of the wrong family is blamed on the list, as on kube-apiserver. */
function addressErrors(address: string, type: string, list: string, index: number): FieldError[] {
  const field = `${list}[${index}]`;
  if (type === "FQDN") return validateFullyQualifiedDomainName(address, field);
  if (type !== "IPv4" && type !== "IPv6") return [];
  const errors = validateIp(address, field);
  if (errors.length > 0) return errors;
  return [
    ...(`IPv${ipFamily(address)}` === type
      ? []
      : [fieldError.invalid(list, address, `must be an ${type} address`)]),
    ...validateReachable(address, field),
  ];
}

function hintErrors(
  hints: readonly { readonly name: string }[],
  rule: (name: string) => string[],
  field: string,
): FieldError[] {
  if (hints.length > limits.hints) return tooMany(hints, limits.hints, field);
  return checkEach(hints, ({ name }, index) => {
    const at = `${field}[${index}].name`;
    const twice = hints.findIndex((other) => other.name === name) < index;
    return [...(twice ? [fieldError.duplicate(at, name)] : []), ...invalidBecause(rule(name), name, at)];
  });
}

function portErrors(ports: Ports): FieldError[] {
  if (ports.length > limits.ports) return tooMany(ports, limits.ports, "ports");
  const names = new Set<string>();
  return checkEach(ports, ({ name = "", protocol, appProtocol }, index) => {
    const field = `ports[${index}]`;
    const errors = name === "" ? [] : invalidBecause(validateDns1123Label(name), name, `${field}.name`);
    if (names.has(name)) errors.push(fieldError.duplicate(`${field}.name`, name));
    names.add(name);
    return [
      ...errors,
      ...oneOfIfSet(protocol, protocols, `${field}.protocol`),
      ...(appProtocol === undefined
        ? []
        : invalidBecause(validateQualifiedName(appProtocol), appProtocol, `${field}.appProtocol`)),
    ];
  });
}
