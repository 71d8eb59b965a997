// The options of defineResource. Those of a version stand at the top level for the common kind that has only one.
import type { CustomResourceConversion, ResourceScope, WebhookClientConfig } from "@kubewright/api";
import type { z } from "zod";
import type { Rule } from "./rule.js";

/** A column of `kubectl get`, where a path alone does not say enough. */
export interface ColumnOptions {
  readonly path: string;
  /** Taken from the schema when left out. */
  readonly type?: "string" | "integer" | "number" | "boolean" | "date" | undefined;
  readonly format?: string | undefined;
  readonly description?: string | undefined;
  /** Above 0: shown by `-o wide` only. */
  readonly priority?: number | undefined;
}

/** Columns by their title. An `Age` column follows them unless it is `false`. */
export type Columns = Readonly<Record<string, string | ColumnOptions | false>>;

/** The paths behind `kubectl scale` and the horizontal autoscaler. */
export interface ScalePaths {
  readonly spec: string;
  readonly status: string;
  /** A field that holds a label selector in its string form. */
  readonly selector?: string | undefined;
}

/** The schema of one version, and how it is served. */
export interface VersionOptions {
  readonly spec?: z.ZodType | undefined;
  readonly status?: z.ZodType | undefined;
  /** Fields beside `spec` and `status`, for kinds that are laid out differently. */
  readonly fields?: Readonly<Record<string, z.ZodType>> | undefined;
  readonly description?: string | undefined;
  /** CEL rules over the whole object. */
  readonly rules?: readonly Rule[] | undefined;
  readonly columns?: Columns | undefined;
  readonly scale?: ScalePaths | undefined;
  /** Fields that `--field-selector` takes. */
  readonly selectableFields?: readonly string[] | undefined;
  /** Whether `status` is written separately. Default: when there is a status. */
  readonly statusSubresource?: boolean | undefined;
  /** Default: true. */
  readonly served?: boolean | undefined;
  /** Whether objects are stored in this version. Default: the definition's own version. */
  readonly storage?: boolean | undefined;
  /** True, or the warning that clients are shown. */
  readonly deprecated?: boolean | string | undefined;
}

/** The conversion strategy: only `apiVersion` changes, or the operator's webhook converts. */
export type ConversionOptions = "none" | "webhook" | CustomResourceConversion;

/** Names of a kind and what its versions share. */
export interface ResourceNames<Group extends string, Version extends string, Kind extends string> {
  readonly group: Group;
  readonly version: Version;
  readonly kind: Kind;
  /** Default: the English plural of the kind. */
  readonly plural?: string | undefined;
  /** Default: the kind in lower case, with the first label of the group before it where a built-in has that short name. */
  readonly singular?: string | undefined;
  readonly listKind?: string | undefined;
  readonly shortNames?: readonly string[] | undefined;
  readonly categories?: readonly string[] | undefined;
  /**
   * Lets a plural or singular be the short name of a built-in resource, or a short name be any built-in name, for kinds that
   * are installed under such names already. Default: false, they are refused.
   */
  readonly allowBuiltInNames?: boolean | undefined;
  /** Default: Namespaced. */
  readonly scope?: ResourceScope | undefined;
  readonly conversion?: ConversionOptions | undefined;
  /** Of the CustomResourceDefinition itself. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  /** Lets the definition grow beyond the 256 KiB that `kubectl apply` carries; it then takes `kubectl apply --server-side`. */
  readonly serverSideApply?: boolean | undefined;
}

/** Makes a misspelt option an error, where the compiler infers the type of the object instead of checking it. */
type OnlyKnownOptions<Versions> = {
  readonly [V in keyof Versions]: { readonly [K in Exclude<keyof Versions[V], keyof VersionOptions>]: never };
};

/** Everything `defineResource` takes. */
export interface ResourceOptions<
  Group extends string,
  Version extends string,
  Kind extends string,
  Spec extends z.ZodType,
  Status extends z.ZodType,
  Fields extends Readonly<Record<string, z.ZodType>>,
  Versions extends Readonly<Record<string, VersionOptions>>,
> extends ResourceNames<Group, Version, Kind>,
    VersionOptions {
  readonly spec?: Spec | undefined;
  readonly status?: Status | undefined;
  readonly fields?: Fields | undefined;
  /** Further versions by name. */
  readonly versions?: (Versions & OnlyKnownOptions<Versions>) | undefined;
}

/** Options of the CustomResourceDefinition that depend on the installation. */
export interface CrdOptions {
  /** The clientConfig of the conversion webhook. Default: a placeholder for kustomize. */
  readonly conversionWebhook?: WebhookClientConfig | undefined;
}
