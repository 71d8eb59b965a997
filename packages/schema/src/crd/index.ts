// The rules for CustomResourceDefinitions.
export { defaultCustomResourceDefinition } from "./default-crd.js";
export { storedVersions } from "./stored-versions.js";
export {
  definitionNameProblems,
  validateCustomResourceDefinition,
  validateCustomResourceDefinitionBody,
  validateCustomResourceDefinitionStatus,
} from "./validate-crd.js";
export { definitionWarnings } from "./warnings.js";
export { validateWebhookService, validateWebhookUrl } from "./webhook-client.js";
