// Every field that a logical keyword at the root restricts must be declared outside of it. (Kubernetes does not look further down.)
import { type FieldError, fieldError, type JSONSchemaProps } from "@kubewright/api";
import { isList } from "../structural/schema-node.js";
import { appendErrors } from "./append-errors.js";

/** Fields that are only declared inside logical keywords. */
export function completenessErrors(schema: JSONSchemaProps, path: string): FieldError[] {
  return alternativesErrors(schema, schema, path, path);
}

/** `value` restricts what `schema` declares. */
function alternativesErrors(
  value: JSONSchemaProps,
  schema: JSONSchemaProps,
  path: string,
  valuePath: string,
): FieldError[] {
  const nested = (inner: JSONSchemaProps, at: string): FieldError[] =>
    nestedErrors(inner, schema, path, `${valuePath}.${at}`);
  return [
    ...(value.not === undefined ? [] : nested(value.not, "not")),
    ...(value.allOf ?? []).flatMap((inner, i) => nested(inner, `allOf[${i}]`)),
    ...(value.anyOf ?? []).flatMap((inner, i) => nested(inner, `anyOf[${i}]`)),
    ...(value.oneOf ?? []).flatMap((inner, i) => nested(inner, `oneOf[${i}]`)),
  ];
}

function nestedErrors(
  value: JSONSchemaProps,
  schema: JSONSchemaProps | undefined,
  path: string,
  valuePath: string,
): FieldError[] {
  if (schema === undefined) return [fieldError.required(path, `because it is defined in ${valuePath}`)];
  const { items, properties = {} } = value;
  const declared = schema.properties ?? {};
  const errors = alternativesErrors(value, schema, path, valuePath);
  if (items !== undefined && !isList(items)) {
    const inner = schema.items === undefined || isList(schema.items) ? undefined : schema.items;
    appendErrors(errors, nestedErrors(items, inner, `${path}.items`, `${valuePath}.items`));
  }
  for (const [name, child] of Object.entries(properties)) {
    const at = `properties[${name}]`;
    const inner = Object.hasOwn(declared, name) ? declared[name] : undefined;
    appendErrors(errors, nestedErrors(child, inner, `${path}.${at}`, `${valuePath}.${at}`));
  }
  return errors;
}
