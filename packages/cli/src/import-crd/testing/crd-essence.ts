// What of a CustomResourceDefinition is compared: all of it but what the server adds or knows anyway.
import type { CustomResourceDefinition, CustomResourceDefinitionVersion } from "@kubewright/api";

type Properties = Readonly<Record<string, unknown>>;

/** Every object has these. */
const everybodys = ["apiVersion", "kind", "metadata"];

const either = JSON.stringify([{ type: "integer" }, { type: "string" }]);

/** Whether a keyword repeats what another says: `x-kubernetes-int-or-string` means both types. */
const isRepeated = (schema: object, [key, value]: readonly [string, unknown]): boolean =>
  key === "anyOf" && "x-kubernetes-int-or-string" in schema && JSON.stringify(value) === either;

/** Without what says nothing: the order of names, and what is said twice. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter((entry) => !isRepeated(value, entry))
      .map(([key, field]) => [
        key,
        key === "required" && Array.isArray(field) ? field.toSorted() : sorted(field),
      ]),
  );
}

function versionEssence(version: CustomResourceDefinitionVersion) {
  const { properties = {}, required = [], ...schema } = version.schema?.openAPIV3Schema ?? {};
  const own: Properties = Object.fromEntries(
    Object.entries(properties).filter(([name]) => !everybodys.includes(name)),
  );
  const needed = required.filter((name) => !everybodys.includes(name));
  const root = { ...schema, properties: own, ...(needed.length > 0 ? { required: needed } : {}) };
  return { ...version, schema: { openAPIV3Schema: root } };
}

/** The definition as it is compared; whose certificate is trusted is not part of a kind. */
export function comparable({ spec }: CustomResourceDefinition) {
  const { conversion, versions, names, ...rest } = spec;
  const { caBundle: _, ...clientConfig } = conversion?.webhook?.clientConfig ?? {};
  return sorted({
    ...rest,
    names: { listKind: `${names.kind}List`, singular: names.kind.toLowerCase(), ...names },
    ...(conversion?.strategy === "Webhook"
      ? { conversion: { ...conversion, webhook: { ...conversion.webhook, clientConfig } } }
      : {}),
    versions: versions.map(versionEssence).toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  });
}
