// The names by which rules reach properties. Not every property name is an identifier: `my-field` is reached as `my__dash__field`,
// `in` as `__in__`, and a few cannot be reached at all.

const reserved: ReadonlySet<string> = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return var void while".split(
    " ",
  ),
);

const replacements: Readonly<Record<string, string>> = {
  __: "__underscores__",
  ".": "__dot__",
  "-": "__dash__",
  "/": "__slash__",
};

/** The name a rule uses for a property, or undefined when there is none. */
export function escapeFieldName(property: string): string | undefined {
  if (reserved.has(property)) return `__${property}__`;
  if (!/^[A-Za-z_./-][A-Za-z0-9_./-]*$/.test(property)) return undefined;
  return property.replace(/__|[./-]/g, (part) => replacements[part] ?? part);
}

/** All names a rule can use for a property. Reserved words are no names of variables, but kube-apiserver takes them behind a dot. */
export function fieldNames(property: string): readonly string[] {
  const escaped = escapeFieldName(property);
  if (escaped === undefined) return [];
  return reserved.has(property) ? [escaped, property] : [escaped];
}
