// The resource definition that `defineResource` returns.
import type {
  CustomResourceDefinition,
  FieldError,
  JSONSchemaProps,
  ResourceDescriptor,
} from "@kubewright/api";
import type { CrdOptions, VersionOptions } from "./resource-options.js";
import type { InputObject, OutputObject, TopLevelShape } from "./resource-types.js";

/** A custom kind: its descriptor and static types, its CustomResourceDefinition, and its schema to use locally. */
export interface ResourceDefinition<T = unknown, Input = T, Versions = unknown>
  extends ResourceDescriptor<T, Input> {
  /** `group/version`. */
  readonly apiVersion: string;
  /** The structural schema of this version; `typeInfoFromSchema` gives its merge type info. */
  readonly schema: JSONSchemaProps;
  /** The further versions, each a definition of its own. */
  readonly versions: Versions;
  /** The CustomResourceDefinition, with all versions. */
  crd(options?: CrdOptions): CustomResourceDefinition;
  /**
   * The errors that the API server would return for the object (schema and CEL rules); empty when it is valid. With `old` the object is
   * validated as an update: transition rules run, and errors in unchanged values are ignored.
   */
  validate(object: unknown, old?: unknown): readonly FieldError[];
  /** A copy with the schema's defaults filled in, and `apiVersion` and `kind` set. */
  default(object: Input): T;
  /** The object defaulted and pruned as the API server would store it; throws a ValidationError when it is invalid. */
  parse(object: unknown): T;
}

/** The fields of a version as its options declare them. */
type ShapeOf<Options> = TopLevelShape<
  Options extends { readonly spec: infer Spec } ? Spec : never,
  Options extends { readonly status: infer Status } ? Status : never,
  Options extends { readonly fields: infer Fields } ? Fields : unknown
>;

/** The definitions of the further versions. */
export type FurtherVersions<
  Group extends string,
  Kind extends string,
  Versions extends Readonly<Record<string, VersionOptions>>,
> = {
  readonly [V in keyof Versions & string]: ResourceDefinition<
    OutputObject<`${Group}/${V}`, Kind, ShapeOf<Versions[V]>>,
    InputObject<`${Group}/${V}`, Kind, ShapeOf<Versions[V]>>
  >;
};
