// The plugins that are made for one server, because they watch configurations, count usage, or have options.
import type { Storage } from "../storage/index.js";
import type { AdmissionPlugin } from "./admission.js";
import { PodSecurity, type PodSecurityOptions } from "./pod-security/index.js";
import { MutatingPolicies } from "./policies/mutating-policies.js";
import { ValidatingPolicies } from "./policies/validating-policies.js";
import { ResourceQuotas } from "./resource-quota.js";
import { MutatingWebhooks } from "./webhooks/mutating-webhooks.js";
import { ValidatingWebhooks } from "./webhooks/validating-webhooks.js";

/** The options of those plugins. */
export interface DynamicAdmissionOptions {
  /** The defaults and exemptions of PodSecurity. */
  readonly podSecurity?: PodSecurityOptions | undefined;
}

/** The plugins watch their configurations in the store until they are closed. */
export const dynamicAdmission = (
  storage: Storage,
  { podSecurity }: DynamicAdmissionOptions = {},
): AdmissionPlugin[] => [
  new PodSecurity(podSecurity),
  new MutatingPolicies(storage),
  new MutatingWebhooks(storage),
  new ValidatingPolicies(storage),
  new ValidatingWebhooks(storage),
  new ResourceQuotas(),
];
