import type { BuiltInKind } from "../built-in-kind.js";
import { ingresses } from "./ingress.js";
import { ingressClasses } from "./ingress-class.js";
import { ipAddresses } from "./ip-address-kind.js";
import { networkPolicies } from "./network-policy.js";
import { serviceCidrs } from "./service-cidr.js";

export const networkKinds: readonly BuiltInKind[] = [
  ingressClasses,
  ingresses,
  ipAddresses,
  networkPolicies,
  serviceCidrs,
];
