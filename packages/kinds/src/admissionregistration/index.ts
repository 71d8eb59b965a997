import type { BuiltInKind } from "../built-in-kind.js";
import { mutatingAdmissionPolicies, mutatingAdmissionPolicyBindings } from "./mutating-admission-policy.js";
import {
  validatingAdmissionPolicies,
  validatingAdmissionPolicyBindings,
} from "./validating-admission-policy.js";
import { mutatingWebhookConfigurations, validatingWebhookConfigurations } from "./webhook-configuration.js";

export const admissionKinds: readonly BuiltInKind[] = [
  mutatingAdmissionPolicies,
  mutatingAdmissionPolicyBindings,
  mutatingWebhookConfigurations,
  validatingAdmissionPolicies,
  validatingAdmissionPolicyBindings,
  validatingWebhookConfigurations,
];
