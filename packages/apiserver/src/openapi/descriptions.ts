// The descriptions of built-in types, loaded with the first request for an OpenAPI document: most servers never answer one.
import type { OpenApiSchema } from "@kubewright/api/type-info";

export interface Descriptions {
  /** Changes when any description does. */
  readonly version: string;
  /** Of the fields that every object has. */
  readonly object: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly metadata: string;
    readonly items: string;
    readonly listMetadata: string;
  };
  /** The schema of a built-in type with its descriptions. */
  describe(schemaName: string, schema: OpenApiSchema): OpenApiSchema;
}

export async function loadDescriptions(): Promise<Descriptions> {
  const { describedSchema, descriptionsVersion, objectDescriptions } = await import(
    "@kubewright/api/descriptions"
  );
  return { version: descriptionsVersion(), object: objectDescriptions(), describe: describedSchema };
}
