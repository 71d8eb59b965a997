// Discovery documents as one ResourceDescriptor per kind.

/** Every resource that has a schema: where it is served and what it is called. */
export function resourcesOf({ discovery, schemas }) {
  const names = schemaNames(schemas);
  return discovery.flatMap(({ metadata, versions }) =>
    versions.flatMap(({ version, resources }) =>
      resources.map((resource) => {
        const group = metadata.name ?? "";
        const { kind } = resource.responseKind;
        const schemaName = names.get(`${group}/${version}/${kind}`);
        if (schemaName === undefined) throw new Error(`${group}/${version} ${kind} has no schema`);
        return { schemaName, descriptor: descriptorOf(group, version, resource) };
      }),
    ),
  );
}

/** `group/version/kind` → schema name, for schemas that belong to one kind. */
function schemaNames(schemas) {
  const names = new Map();
  for (const [name, schema] of schemas) {
    const kinds = schema["x-kubernetes-group-version-kind"] ?? [];
    if (kinds.length === 1) names.set(`${kinds[0].group}/${kinds[0].version}/${kinds[0].kind}`, name);
  }
  return names;
}

function descriptorOf(group, version, resource) {
  return {
    group,
    version,
    kind: resource.responseKind.kind,
    plural: resource.resource,
    singular: resource.singularResource,
    scope: resource.scope,
    shortNames: resource.shortNames ?? [],
    categories: resource.categories ?? [],
    verbs: resource.verbs,
    subresources: (resource.subresources ?? []).map(({ subresource }) => subresource),
  };
}

/** The constant that stands beside the interface of the same name. */
export function declareDescriptor(name, descriptor) {
  const fields = Object.entries(descriptor).map(([field, value]) => {
    const list = Array.isArray(value)
      ? `[${value.map((item) => JSON.stringify(item)).join(", ")}]`
      : undefined;
    return `  ${field}: ${list ?? JSON.stringify(value)},\n`;
  });
  return `export const ${name}: ResourceDescriptor<${name}> = {\n${fields.join("")}};\n`;
}
