// One version of a CRD: its schema in the forms that requests need, each compiled when it is first needed. Many CRDs are installed and
// never used.

import {
  apiVersionOf,
  type CustomResourceDefinition,
  type CustomResourceDefinitionVersion,
  type JSONSchemaProps,
  type StructInfo,
} from "@kubewright/api";
import { typeInfoFromSchema } from "@kubewright/api/type-info";
import { CustomColumns } from "@kubewright/kinds";
import {
  createResourceSchema,
  type ResourceSchema,
  type ResourceSchemaOptions,
} from "@kubewright/schema/engine";

export class VersionSchema {
  readonly apiVersion: string;
  readonly version: CustomResourceDefinitionVersion;
  #schema: ResourceSchema | undefined;
  #typeInfo: StructInfo | undefined;
  #columns: CustomColumns | undefined;

  constructor(group: string, version: CustomResourceDefinitionVersion) {
    this.apiVersion = apiVersionOf({ group, version: version.name });
    this.version = version;
  }

  /** The schema as the CRD has it. */
  get openApi(): JSONSchemaProps {
    return this.version.schema?.openAPIV3Schema ?? { type: "object" };
  }

  get schema(): ResourceSchema {
    this.#schema ??= createResourceSchema(this.openApi, this.#options);
    return this.#schema;
  }

  get typeInfo(): StructInfo {
    this.#typeInfo ??= typeInfoFromSchema(this.openApi);
    return this.#typeInfo;
  }

  /** The printer columns of its objects. */
  get columns(): CustomColumns {
    this.#columns ??= new CustomColumns(this.version.additionalPrinterColumns ?? []);
    return this.#columns;
  }

  get #options(): ResourceSchemaOptions {
    const scale = this.version.subresources?.scale;
    return scale ? { scale } : {};
  }
}

/** All versions of a CRD, served or not, by apiVersion: objects may be stored in any of them. */
export function versionSchemas({ spec }: CustomResourceDefinition): ReadonlyMap<string, VersionSchema> {
  const versions = spec.versions.map((version) => new VersionSchema(spec.group, version));
  return new Map(versions.map((version) => [version.apiVersion, version]));
}
