export { z } from "zod";
export {
  type AnnotationCheck,
  type ColumnOptions,
  type Columns,
  type ConversionOptions,
  type CrdOptions,
  type DeepReadonly,
  defineResource,
  type FurtherVersions,
  type InputObject,
  type OutputObject,
  pluralOf,
  type ResourceDefinition,
  type ResourceNames,
  type ResourceOptions,
  type Rule,
  type RuleOptions,
  rule,
  type ScalePaths,
  type TopLevelShape,
  type VersionOptions,
} from "./define/index.js";
export { conditions, type KeyOf, type KubeSchema, kube, type MapOptions } from "./kube/index.js";
