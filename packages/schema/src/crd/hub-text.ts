// The internal version of a schema as Go prints it in error messages: structs without JSON names, every field, in declaration order.
import type {
  CustomResourceDefinitionVersion,
  CustomResourceValidation,
  JSONSchemaProps,
  ValidationRule,
} from "@kubewright/api";
import { isList } from "../structural/schema-node.js";

/** The versions of a CRD, to be printed. */
export function versionsText(versions: readonly CustomResourceDefinitionVersion[]): unknown {
  return versions.map((version) => ({
    Name: version.name ?? "",
    Served: version.served ?? false,
    Storage: version.storage ?? false,
    Deprecated: version.deprecated ?? false,
    DeprecationWarning: version.deprecationWarning ?? null,
    Schema: version.schema === undefined ? null : validationText(version.schema),
    Subresources: version.subresources === undefined ? null : subresourcesText(version.subresources),
    AdditionalPrinterColumns:
      version.additionalPrinterColumns?.map((column) => ({
        Name: column.name ?? "",
        Type: column.type ?? "",
        Format: column.format ?? "",
        Description: column.description ?? "",
        Priority: column.priority ?? 0,
        JSONPath: column.jsonPath ?? "",
      })) ?? null,
    SelectableFields: version.selectableFields?.map((field) => ({ JSONPath: field.jsonPath ?? "" })) ?? null,
  }));
}

function validationText({ openAPIV3Schema }: CustomResourceValidation): unknown {
  return { OpenAPIV3Schema: openAPIV3Schema === undefined ? null : schemaText(openAPIV3Schema) };
}

function subresourcesText({
  status,
  scale,
}: NonNullable<CustomResourceDefinitionVersion["subresources"]>): unknown {
  return {
    Status: status === undefined ? null : {},
    Scale:
      scale === undefined
        ? null
        : {
            SpecReplicasPath: scale.specReplicasPath ?? "",
            StatusReplicasPath: scale.statusReplicasPath ?? "",
            LabelSelectorPath: scale.labelSelectorPath ?? null,
          },
  };
}

/** A rule, to be printed. */
export function ruleText(rule: ValidationRule): unknown {
  return {
    Rule: rule.rule ?? "",
    Message: rule.message ?? "",
    MessageExpression: rule.messageExpression ?? "",
    Reason: rule.reason ?? null,
    FieldPath: rule.fieldPath ?? "",
    OptionalOldSelf: rule.optionalOldSelf ?? null,
  };
}

/** The fields of a schema in their order: Go name, keyword, and what is printed where there is none. */
const schemaFields: readonly (readonly [name: string, keyword: keyof JSONSchemaProps, zero: unknown])[] = [
  ["ID", "id", ""],
  ["Schema", "$schema", ""],
  ["Ref", "$ref", null],
  ["Description", "description", ""],
  ["Type", "type", ""],
  ["Nullable", "nullable", false],
  ["Format", "format", ""],
  ["Title", "title", ""],
  ["Default", "default", null],
  ["Maximum", "maximum", null],
  ["ExclusiveMaximum", "exclusiveMaximum", false],
  ["Minimum", "minimum", null],
  ["ExclusiveMinimum", "exclusiveMinimum", false],
  ["MaxLength", "maxLength", null],
  ["MinLength", "minLength", null],
  ["Pattern", "pattern", ""],
  ["MaxItems", "maxItems", null],
  ["MinItems", "minItems", null],
  ["UniqueItems", "uniqueItems", false],
  ["MultipleOf", "multipleOf", null],
  ["Enum", "enum", null],
  ["MaxProperties", "maxProperties", null],
  ["MinProperties", "minProperties", null],
  ["Required", "required", null],
  ["Items", "items", null],
  ["AllOf", "allOf", null],
  ["OneOf", "oneOf", null],
  ["AnyOf", "anyOf", null],
  ["Not", "not", null],
  ["Properties", "properties", null],
  ["AdditionalProperties", "additionalProperties", null],
  ["PatternProperties", "patternProperties", null],
  ["Dependencies", "dependencies", null],
  ["AdditionalItems", "additionalItems", null],
  ["Definitions", "definitions", null],
  ["ExternalDocs", "externalDocs", null],
  ["Example", "example", null],
  ["XPreserveUnknownFields", "x-kubernetes-preserve-unknown-fields", null],
  ["XEmbeddedResource", "x-kubernetes-embedded-resource", false],
  ["XIntOrString", "x-kubernetes-int-or-string", false],
  ["XListMapKeys", "x-kubernetes-list-map-keys", null],
  ["XListType", "x-kubernetes-list-type", null],
  ["XMapType", "x-kubernetes-map-type", null],
  ["XValidations", "x-kubernetes-validations", null],
];

/** A schema, to be printed. */
export function schemaText(schema: JSONSchemaProps): Readonly<Record<string, unknown>> {
  const inner = innerText(schema);
  const fields = schemaFields.map(
    ([name, keyword, zero]) => [name, inner[keyword] ?? schema[keyword] ?? zero] as const,
  );
  return Object.fromEntries(fields);
}

/** The fields that hold schemas and rules. */
function innerText(schema: JSONSchemaProps): { readonly [keyword in keyof JSONSchemaProps]?: unknown } {
  const { not, externalDocs } = schema;
  return {
    items: itemsText(schema),
    allOf: schema.allOf?.map(schemaText),
    oneOf: schema.oneOf?.map(schemaText),
    anyOf: schema.anyOf?.map(schemaText),
    not: not && schemaText(not),
    properties: namedText(schema.properties),
    additionalProperties: schemaOrBoolText(schema.additionalProperties),
    patternProperties: namedText(schema.patternProperties),
    additionalItems: schemaOrBoolText(schema.additionalItems),
    definitions: namedText(schema.definitions),
    externalDocs: externalDocs && {
      Description: externalDocs.description ?? "",
      URL: externalDocs.url ?? "",
    },
    "x-kubernetes-validations": schema["x-kubernetes-validations"]?.map(ruleText),
  };
}

/** `items`, to be printed. */
export function itemsText({ items }: JSONSchemaProps): unknown {
  if (items === undefined) return null;
  if (isList(items)) return { Schema: null, JSONSchemas: items.map(schemaText) };
  return { Schema: schemaText(items), JSONSchemas: null };
}

function schemaOrBoolText(value: JSONSchemaProps | boolean | undefined): unknown {
  if (value === undefined) return null;
  if (typeof value === "boolean") return { Allows: value, Schema: null };
  return { Allows: true, Schema: schemaText(value) };
}

function namedText(schemas: { readonly [key: string]: JSONSchemaProps } | undefined): unknown {
  if (schemas === undefined) return null;
  const entries = Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, schema]) => [name, schemaText(schema)]));
}
