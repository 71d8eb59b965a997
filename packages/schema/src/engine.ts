// What an API server needs of schemas, without zod: the structural-schema engine, the rules for definitions, and CEL.
export {
  defaultCustomResourceDefinition,
  definitionNameProblems,
  definitionWarnings,
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
