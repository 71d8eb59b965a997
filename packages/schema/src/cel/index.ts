// CEL as Kubernetes runs it: expressions over variables, and the validation rules of a schema.
export { type CelBudget, costLimits, createBudget } from "./budget.js";
export { CelBudgetError, CelCompileError, CelEvaluationError, type CelIssue } from "./errors.js";
export type {
  CelCost,
  CelProgram,
  CompileOptions,
  CompileSchemaRules,
  RuleValidation,
  SchemaRules,
  SchemaRulesOptions,
} from "./program.js";
export type { CelField, CelType, CelTypeKind } from "./types.js";
export {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  formatType,
  intType,
  listType,
  mapType,
  nullType,
  objectType,
  opaqueType,
  optionalType,
  stringType,
  timestampType,
  uintType,
} from "./types.js";
