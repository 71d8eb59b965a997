// IPAddresses: one for every address of a service. Usually the server makes them, but anyone may.
import {
  type FieldError,
  fieldError,
  type IPAddress,
  type ParentReference,
  validateDns1123Subdomain,
  validatePathSegmentName,
} from "@kubewright/api";
import type { BuiltInKind } from "../built-in-kind.js";
import { immutable, invalidBecause } from "../field-rules.js";
import { draftAs, storedAs } from "../objects.js";
import { shownStruct } from "../shown-struct.js";
import { formatAddress, parseAddress } from "./ip.js";

export const ipAddresses: BuiltInKind = {
  resource: "ipaddresses.networking.k8s.io",
  strategy: {
    metadata: { onUpdate: ["update", "object"] },
    validateName: nameProblems,
    validateCreate: (object) => parentErrors(draftAs<IPAddress>(object).spec?.parentRef),
    validateUpdate(object, old) {
      const parent = draftAs<IPAddress>(object).spec?.parentRef;
      return [
        ...parentErrors(parent),
        ...immutable(
          parent,
          storedAs<IPAddress>(old).spec?.parentRef,
          "spec.parentRef",
          shownStruct(parent, "k8s.io.api.networking.v1.ParentReference"),
        ),
      ];
    },
  },
};

function nameProblems(name: string): string[] {
  const address = parseAddress(name);
  if (!address) return ["must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"];
  if (address.leadingZeros) return ["must not have leading 0s"];
  if (address.mapped) return ["must not be an IPv4-mapped IPv6 address"];
  const canonical = formatAddress(address);
  return canonical === name ? [] : [`must be in canonical form ("${canonical}")`];
}

function parentErrors(parent: ParentReference | null | undefined): FieldError[] {
  const field = "spec.parentRef";
  if (!parent) return [fieldError.required(field)];
  const segment = (part: "resource" | "name" | "namespace"): FieldError[] =>
    invalidBecause(validatePathSegmentName(parent[part] ?? ""), parent[part], `${field}.${part}`);
  return [
    ...(parent.group
      ? invalidBecause(validateDns1123Subdomain(parent.group), parent.group, `${field}.group`)
      : []),
    ...(parent.resource ? segment("resource") : [fieldError.required(`${field}.resource`)]),
    ...(parent.name ? segment("name") : [fieldError.required(`${field}.name`)]),
    ...segment("namespace"),
  ];
}
