// Schemas as TypeScript: readonly interfaces with our own words on them, each place the JSON it is.
import { moduleOf, referenceOf, shortName } from "./kube-facts.mjs";
import { handWritten } from "./messages.mjs";

// Types whose JSON form the schemas do not (fully) say.
const special = {
  "io.k8s.apimachinery.pkg.api.resource.Quantity": "string | number",
  "io.k8s.apimachinery.pkg.util.intstr.IntOrString": "number | string",
  "io.k8s.apimachinery.pkg.apis.meta.v1.Time": "string",
  "io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime": "string",
  "io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1": "JsonObject",
  "io.k8s.apimachinery.pkg.runtime.RawExtension": "JsonObject",
  "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON": "JsonValue",
  "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrArray":
    "JSONSchemaProps | readonly JSONSchemaProps[]",
  "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrBool":
    "JSONSchemaProps | boolean",
  "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrStringArray":
    "JSONSchemaProps | readonly string[]",
};

const scalars = { string: "string", integer: "number", number: "number", boolean: "boolean" };

/** The declaration of one schema. `imports` collects `module → names` of what it refers to elsewhere. */
export function declareType(schemaName, schema, imports, descriptions) {
  const name = shortName(schemaName);
  const words = comment(descriptions.ofType(schemaName) ?? schema.words ?? listWords(name, schema), "");
  if (special[schemaName]) return words + declareAlias(name, special[schemaName], imports);
  if (schema.type !== "object") throw new Error(`no TypeScript form for ${schemaName}`);
  if (!schema.properties) return words + declareAlias(name, "Readonly<Record<string, never>>", imports);
  const required = new Set(schema.required);
  const kinds = schema["x-kubernetes-group-version-kind"] ?? [];
  const gvk = kinds.length === 1 ? kinds[0] : undefined;
  const fields = Object.entries(schema.properties).map(([field, place]) => {
    const type = literalOf(field, gvk) ?? typeOf(place, schemaName, imports);
    const optional = required.has(field) ? `: ${type}` : `?: ${type} | undefined`;
    return `${comment(descriptions.ofField(schemaName, field), "  ")}  readonly ${key(field)}${optional};\n`;
  });
  return `${words}export interface ${name} {\n${fields.join("")}}\n`;
}

/** Lists are all alike. */
const listWords = (name, { properties = {} }) =>
  name.endsWith("List") && properties["items"]
    ? `A list of ${name.replace(/List$/, "")} objects.`
    : undefined;

const comment = (words, indent) => (words ? `${indent}/** ${words} */\n` : "");

function declareAlias(name, type, imports) {
  for (const json of type.match(/Json\w+/g) ?? []) add(imports, "../json", json);
  return `export type ${name} = ${type};\n`;
}

/** A kind's own `apiVersion` and `kind`. Optional: a literal may leave them out, the server never does. */
function literalOf(field, gvk) {
  if (gvk === undefined) return undefined;
  if (field === "apiVersion") return JSON.stringify(gvk.group ? `${gvk.group}/${gvk.version}` : gvk.version);
  return field === "kind" ? JSON.stringify(gvk.kind) : undefined;
}

function typeOf(place, from, imports) {
  const reference = referenceOf(place);
  if (reference !== undefined) {
    const name = nameIn(from, reference, imports);
    return place.nullable ? `${name} | null` : name;
  }
  if (place.enum) return place.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (place.type === "array") return `readonly ${element(typeOf(place.items, from, imports))}[]`;
  if (place.type === "object" && place.additionalProperties) {
    return `{ readonly [key: string]: ${typeOf(place.additionalProperties, from, imports)} }`;
  }
  const scalar = scalars[place.type];
  if (scalar === undefined) throw new Error(`${from}: no TypeScript form for ${JSON.stringify(place)}`);
  return scalar;
}

function nameIn(from, reference, imports) {
  const module = handWritten.get(reference) ?? `./${moduleOf(reference)}`;
  if (module !== `./${moduleOf(from)}`) add(imports, module, shortName(reference));
  return shortName(reference);
}

const element = (type) => (type.startsWith("readonly ") || type.includes(" | ") ? `(${type})` : type);
const key = (field) => (/^[A-Za-z_$][\w$]*$/.test(field) ? field : JSON.stringify(field));

function add(imports, module, name) {
  if (!imports.has(module)) imports.set(module, new Set());
  imports.get(module).add(name);
}
