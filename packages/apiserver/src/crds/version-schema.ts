// One version of a definition: its schema in the forms the request path needs, each made when first asked for. Many
// definitions are installed and never used.
import {
  apiVersionOf,
  type CustomResourceDefinition,
  type CustomResourceDefinitionVersion,
  type JSONSchemaProps,
  type StructFacts,
} from "@kubewright/api";
import { factsFromSchema } from "@kubewright/api/facts";
import {
  createResourceSchema,
  type ResourceSchema,
  type ResourceSchemaOptions,
} from "@kubewright/schema/engine";
import { CustomColumns } from "../kinds/tables/index.js";

export class VersionSchema {
  readonly apiVersion: string;
  readonly version: CustomResourceDefinitionVersion;
  #schema: ResourceSchema | undefined;
  #facts: StructFacts | undefined;
  #columns: CustomColumns | undefined;

  constructor(group: string, version: CustomResourceDefinitionVersion) {
    this.apiVersion = apiVersionOf({ group, version: version.name });
    this.version = version;
  }

  /** As the definition states it. */
  get openApi(): JSONSchemaProps {
    return this.version.schema?.openAPIV3Schema ?? { type: "object" };
  }

  get schema(): ResourceSchema {
    this.#schema ??= createResourceSchema(this.openApi, this.#options);
    return this.#schema;
  }

  get facts(): StructFacts {
    this.#facts ??= factsFromSchema(this.openApi);
    return this.#facts;
  }

  /** How its objects are shown in tables. */
  get columns(): CustomColumns {
    this.#columns ??= new CustomColumns(this.version.additionalPrinterColumns ?? []);
    return this.#columns;
  }

  get #options(): ResourceSchemaOptions {
    const scale = this.version.subresources?.scale;
    return scale ? { scale } : {};
  }
}

/** All versions of a definition, served or not, by apiVersion: objects may be stored in any of them. */
export function versionSchemas({ spec }: CustomResourceDefinition): ReadonlyMap<string, VersionSchema> {
  const versions = spec.versions.map((version) => new VersionSchema(spec.group, version));
  return new Map(versions.map((version) => [version.apiVersion, version]));
}
