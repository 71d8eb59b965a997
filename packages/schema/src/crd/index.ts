// The rules for CustomResourceDefinitions.
export { defaultCustomResourceDefinition } from "./default-crd.js";
export { storedVersions } from "./stored-versions.js";
export {
  crdNameProblems,
  validateCustomResourceDefinition,
  validateCustomResourceDefinitionBody,
  validateCustomResourceDefinitionStatus,
} from "./validate-crd.js";
export { crdWarnings } from "./warnings.js";
export { validateWebhookService, validateWebhookUrl } from "./webhook-client.js";
