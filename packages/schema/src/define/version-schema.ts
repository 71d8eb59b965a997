// One version of a kind as a CustomResourceDefinition holds it.
import type {
  CustomResourceDefinitionVersion,
  CustomResourceSubresources,
  FieldError,
  JSONSchemaProps,
} from "@kubewright/api";
import { z } from "zod";
import { printerColumns } from "./columns.js";
import { toStructuralSchema } from "./from-zod/index.js";
import { refusal } from "./from-zod/walk.js";
import { typeAtPath } from "./json-path.js";
import { objectFields } from "./object-metadata.js";
import type { ScalePaths, VersionOptions } from "./resource-options.js";

/** A converted version, and what is wrong with it. */
export interface ConvertedVersion {
  readonly version: CustomResourceDefinitionVersion;
  readonly schema: JSONSchemaProps;
  readonly problems: readonly FieldError[];
}

/** Converts the options of one version. */
export function convertVersion(name: string, options: VersionOptions, storage: boolean): ConvertedVersion {
  const { schema, problems: found } = toStructuralSchema(rootSchema(options), "");
  const problems = [...found];
  const root = { ...schema, properties: { ...objectFields, ...schema.properties } };
  const columns = printerColumns(options.columns, root, problems);
  const subresources = subresourcesOf(options);
  problems.push(...fieldProblems(options), ...scaleProblems(options.scale, root));
  const version: CustomResourceDefinitionVersion = {
    name,
    served: options.served ?? true,
    storage,
    ...deprecation(options.deprecated),
    schema: { openAPIV3Schema: schema },
    ...(subresources === undefined ? {} : { subresources }),
    ...(columns === undefined ? {} : { additionalPrinterColumns: columns }),
    ...(options.selectableFields === undefined
      ? {}
      : { selectableFields: options.selectableFields.map((jsonPath) => ({ jsonPath })) }),
  };
  return { version, schema, problems };
}

/** The whole object as one zod schema; the fields that every object has are left to the server. */
function rootSchema(options: VersionOptions): z.ZodType {
  const shape: Record<string, z.ZodType> = { ...options.fields };
  if (options.spec !== undefined) shape["spec"] = options.spec;
  if (options.status !== undefined) shape["status"] = z.optional(options.status);
  const root = z.object(shape).check(...(options.rules ?? []));
  return options.description === undefined ? root : root.describe(options.description);
}

function subresourcesOf(options: VersionOptions): CustomResourceSubresources | undefined {
  const status = options.statusSubresource ?? options.status !== undefined;
  if (!status && options.scale === undefined) return undefined;
  return {
    ...(status ? { status: {} } : {}),
    ...(options.scale === undefined
      ? {}
      : {
          scale: {
            specReplicasPath: options.scale.spec,
            statusReplicasPath: options.scale.status,
            ...(options.scale.selector === undefined ? {} : { labelSelectorPath: options.scale.selector }),
          },
        }),
  };
}

const reservedFields = ["apiVersion", "kind", "metadata", "spec", "status"];

function fieldProblems({ fields }: VersionOptions): readonly FieldError[] {
  return reservedFields
    .filter((field) => Object.hasOwn(fields ?? {}, field))
    .map((field) =>
      refusal(`fields.${field}`, "every object has this field; name another, or use `spec` and `status`"),
    );
}

/** Kubernetes takes any scale path; one that leads nowhere would only show as a scale that never changes. */
function scaleProblems(scale: ScalePaths | undefined, root: JSONSchemaProps): readonly FieldError[] {
  if (scale === undefined) return [];
  const wanted = { spec: "integer", status: "integer", selector: "string" } as const;
  return (["spec", "status", "selector"] as const).flatMap((name) => {
    const path = scale[name];
    if (path === undefined) return [];
    const type = typeAtPath(root, path);
    if (type === wanted[name] || type === "unknown") return [];
    const found = type === undefined ? "no field of the schema" : `a field of type ${type}`;
    return [
      refusal(
        `scale.${name}`,
        `the path ${path} leads to ${found}; it must lead to one of type ${wanted[name]}`,
      ),
    ];
  });
}

function deprecation(deprecated: boolean | string | undefined): Partial<CustomResourceDefinitionVersion> {
  if (deprecated === undefined || deprecated === false) return {};
  return deprecated === true ? { deprecated } : { deprecated: true, deprecationWarning: deprecated };
}
