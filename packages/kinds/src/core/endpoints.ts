// Endpoints, the predecessor of EndpointSlices: still written by some, and warned about.
import {
  deepEqual,
  type EndpointSubset,
  type Endpoints,
  type FieldError,
  fieldError,
  validateDns1123Label,
  validateDns1123Subdomain,
  validatePortNumber,
  validateQualifiedName,
} from "@kubewright/api";
import type { BuiltInKind } from "../built-in-kind.js";
import { checkEach } from "../check-each.js";
import { invalidBecause, oneOf } from "../field-rules.js";
import { validateIp, validateReachable } from "../ip-address.js";
import { ipWarnings } from "../ip-warnings.js";
import { draftAs, storedAs } from "../objects.js";
import { protocols } from "./service/validate-service-ports.js";

export const endpoints: BuiltInKind = {
  resource: "endpoints",
  deprecation: "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
  strategy: {
    metadata: { onUpdate: ["update", "object"] },
    allowCreateOnUpdate: true,
    applyDefaults(object) {
      for (const { ports } of draftAs<Endpoints>(object).subsets ?? [])
        for (const port of ports ?? []) port.protocol ??= "TCP";
    },
    validateCreate: (object) => subsetErrors(draftAs<Endpoints>(object).subsets ?? []),
    validateUpdate(object, old) {
      const subsets = draftAs<Endpoints>(object).subsets ?? [];
      if (deepEqual(subsets, storedAs<Endpoints>(old).subsets ?? [])) return [];
      return subsetErrors(subsets);
    },
    warnings: (object) => addressWarnings(draftAs<Endpoints>(object)),
  },
};

/** The controller that copies addresses from pods puts them in order. */
function addressWarnings({ metadata, subsets = [] }: Endpoints): string[] {
  if (metadata?.labels?.["endpoints.kubernetes.io/managed-by"] === "endpoint-controller") return [];
  return subsets.flatMap((subset, index) =>
    (["addresses", "notReadyAddresses"] as const).flatMap((list) =>
      (subset[list] ?? []).flatMap(({ ip }, at) => ipWarnings(ip, `subsets[${index}].${list}[${at}].ip`)),
    ),
  );
}

type Address = NonNullable<EndpointSubset["addresses"]>[number];
type Port = NonNullable<EndpointSubset["ports"]>[number];

function subsetErrors(subsets: readonly EndpointSubset[]): FieldError[] {
  const errors: FieldError[] = [];
  for (const [index, subset] of subsets.entries()) {
    errors.push(...oneSubset(subset, `subsets[${index}]`));
  }
  return errors;
}

function oneSubset(subset: EndpointSubset, field: string): FieldError[] {
  const { addresses = [], notReadyAddresses = [], ports = [] } = subset;
  const none = addresses.length === 0 && notReadyAddresses.length === 0;
  return [
    ...(none ? [fieldError.required(field, "must specify `addresses` or `notReadyAddresses`")] : []),
    ...checkEach(addresses, (address, at) => addressErrors(address, `${field}.addresses[${at}]`)),
    ...checkEach(notReadyAddresses, (address, at) =>
      addressErrors(address, `${field}.notReadyAddresses[${at}]`),
    ),
    ...checkEach(ports, (port, at) => portErrors(port, ports.length > 1, `${field}.ports[${at}]`)),
  ];
}

function addressErrors({ ip, hostname, nodeName }: Address, field: string): FieldError[] {
  return [
    ...validateIp(ip, `${field}.ip`),
    ...(hostname ? invalidBecause(validateDns1123Label(hostname), hostname, `${field}.hostname`) : []),
    ...(nodeName === undefined
      ? []
      : invalidBecause(validateDns1123Subdomain(nodeName), nodeName, `${field}.nodeName`)),
    ...validateReachable(ip, `${field}.ip`),
  ];
}

function portErrors(
  { name, port, protocol, appProtocol }: Port,
  named: boolean,
  field: string,
): FieldError[] {
  return [
    ...(named && !name ? [fieldError.required(`${field}.name`)] : []),
    ...(name ? invalidBecause(validateDns1123Label(name), name, `${field}.name`) : []),
    ...invalidBecause(validatePortNumber(port), port, `${field}.port`),
    ...oneOf(protocol, protocols, `${field}.protocol`),
    ...(appProtocol === undefined
      ? []
      : invalidBecause(validateQualifiedName(appProtocol), appProtocol, `${field}.appProtocol`)),
  ];
}
