// Writes the pieces of CEL that generated rules are made of.
import { escapeFieldName } from "@kubewright/cel";

/** The name by which rules reach a field: `my-field` is `my__dash__field`. A rule over one that has none does not compile. */
export function celFieldName(field: string): string {
  return escapeFieldName(field) ?? field;
}

/** The `fieldPath` of a rule that is about one field. */
export function ruleFieldPath(field: string): string {
  return /[.[\]'\\]/.test(field) ? `[${celString(field)}]` : `.${field}`;
}

/** A literal as CEL writes it. */
export function celLiteral(value: unknown): string {
  return typeof value === "string" ? celString(value) : String(value);
}

function celString(value: string): string {
  const escaped = JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  return `'${escaped}'`;
}
