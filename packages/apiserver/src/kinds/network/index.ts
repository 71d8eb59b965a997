import type { NativeKind } from "../../registry/native-kinds.js";
import { ingresses } from "./ingress.js";
import { ingressClasses } from "./ingress-class.js";
import { ipAddresses } from "./ip-address-kind.js";
import { networkPolicies } from "./network-policy.js";
import { serviceCidrs } from "./service-cidr.js";

export const networkKinds: readonly NativeKind[] = [
  ingressClasses,
  ingresses,
  ipAddresses,
  networkPolicies,
  serviceCidrs,
];
