// CEL as Kubernetes runs it: expressions over variables, and the validation rules of a schema.
export { type CelBudget, costLimits, createBudget } from "./budget.js";
export { compileExpression } from "./compile-expression.js";
export type { CelExtension } from "./environment.js";
export { CelBudgetError, CelCompileError, CelEvaluationError, type CelIssue } from "./errors.js";
export { escapeFieldName } from "./field-names.js";
export {
  authorizerType,
  type CelAccessCheck,
  type CelAuthorizer,
  type CelDecision,
  type CelResource,
  type CelServiceAccount,
  celAuthorizer,
  celResourceCheck,
  resourceCheckType,
} from "./library/authorization.js";
export { patternSize } from "./pattern-size.js";
export type {
  CelCost,
  CelProgram,
  CompileOptions,
  RuleValidation,
  SchemaRules,
  SchemaRulesOptions,
} from "./program.js";
export { compileSchemaRules } from "./schema-rules.js";
export { type CelTypeOptions, celTypeOf } from "./schema-type.js";
export type { CelStruct, FindStruct } from "./struct.js";
export type { CelField, CelType, CelTypeKind } from "./types.js";
export {
  boolType,
  bytesType,
  doubleType,
  dynType,
  formatType,
  intType,
  listType,
  mapType,
  nullType,
  objectType,
  opaqueType,
  stringType,
  timestampType,
} from "./types.js";
export { StructMap } from "./values/map.js";
export { celToJson } from "./values/to-json.js";
