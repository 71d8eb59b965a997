// The structural-schema engine: prune, default and validate custom resources as the API server does.
export {
  type CompiledSchema,
  type CompileSchemaOptions,
  compileSchema,
  type NormalizeResult,
  type ValidateOptions,
  type ValueSource,
} from "./compiled-schema.js";
export { DefaultsTooLargeError } from "./defaults.js";
export { type MutableJson, type MutableObject, valueDepthLimit } from "./json-value.js";
export {
  type Admission,
  createResourceSchema,
  type ResourceSchema,
  type ResourceSchemaOptions,
  type ResourceValidateOptions,
} from "./resource-schema.js";
export { SchemaDepthError, schemaDepthLimit } from "./schema-node.js";
