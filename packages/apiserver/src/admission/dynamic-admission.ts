// The plugins that do what users configured: webhooks and policies.
import type { Storage } from "../storage/index.js";
import type { AdmissionPlugin } from "./admission.js";
import { ValidatingPolicies } from "./policies/validating-policies.js";
import { MutatingWebhooks } from "./webhooks/mutating-webhooks.js";
import { ValidatingWebhooks } from "./webhooks/validating-webhooks.js";

/** They follow the configurations in the store until they are closed. */
export const dynamicAdmission = (storage: Storage): AdmissionPlugin[] => [
  new MutatingWebhooks(storage),
  new ValidatingPolicies(storage),
  new ValidatingWebhooks(storage),
];
