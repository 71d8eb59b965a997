// The plugins that keep something between requests: webhooks and policies as users configured them, and what quotas lack.
import type { Storage } from "../storage/index.js";
import type { AdmissionPlugin } from "./admission.js";
import { ValidatingPolicies } from "./policies/validating-policies.js";
import { ResourceQuotas } from "./resource-quota.js";
import { MutatingWebhooks } from "./webhooks/mutating-webhooks.js";
import { ValidatingWebhooks } from "./webhooks/validating-webhooks.js";

/** They follow the configurations in the store until they are closed. */
export const dynamicAdmission = (storage: Storage): AdmissionPlugin[] => [
  new MutatingWebhooks(storage),
  new ValidatingPolicies(storage),
  new ValidatingWebhooks(storage),
  new ResourceQuotas(),
];
