// Custom kinds, defined in one place.
export type { AnnotationCheck } from "./annotation.js";
export { builtInCollisions, type KubectlNames, type NameCollision } from "./built-in-names.js";
export type { DeepReadonly } from "./deep-readonly.js";
export { defineResource } from "./define-resource.js";
export { type ImmutableOptions, immutable } from "./immutable.js";
export { atLeastOneOf, atMostOneOf, exactlyOneOf, type FieldNames, type FieldsCheck } from "./one-of.js";
export { pluralOf } from "./plural.js";
export type { FurtherVersions, ResourceDefinition } from "./resource-definition.js";
export type {
  ColumnOptions,
  Columns,
  ConversionOptions,
  CrdOptions,
  ResourceNames,
  ResourceOptions,
  ScalePaths,
  VersionOptions,
} from "./resource-options.js";
export type { InputObject, OutputObject, TopLevelShape } from "./resource-types.js";
export { type Rule, type RuleOptions, rule } from "./rule.js";
export { singularOf } from "./singular.js";
