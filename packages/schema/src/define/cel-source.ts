// Writes the pieces of CEL that generated rules are made of.

const reserved = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return var void while".split(
    " ",
  ),
);

const escapes: readonly (readonly [RegExp, string])[] = [
  [/__/g, "__underscores__"],
  [/\./g, "__dot__"],
  [/-/g, "__dash__"],
  [/\//g, "__slash__"],
];

/** The name by which rules reach a field: `my-field` is `my__dash__field`. */
export function celFieldName(field: string): string {
  if (reserved.has(field)) return `__${field}__`;
  return escapes.reduce((name, [pattern, replacement]) => name.replace(pattern, replacement), field);
}

/** The `fieldPath` of a rule that speaks of one field. */
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
