// The entry for API servers, without zod: the structural-schema engine and the validation of CRDs.
export {
  crdNameProblems,
  crdWarnings,
  defaultCustomResourceDefinition,
  storedVersions,
  validateCustomResourceDefinition,
  validateCustomResourceDefinitionBody,
  validateCustomResourceDefinitionStatus,
  validateWebhookService,
  validateWebhookUrl,
} from "./crd/index.js";
export {
  type Admission,
  type CompiledSchema,
  type CompileSchemaOptions,
  compileSchema,
  createResourceSchema,
  DefaultsTooLargeError,
  type NormalizeResult,
  type ResourceSchema,
  type ResourceSchemaOptions,
  type ResourceValidateOptions,
  SchemaDepthError,
  schemaDepthLimit,
  type ValidateOptions,
  type ValueSource,
  valueDepthLimit,
} from "./structural/index.js";
