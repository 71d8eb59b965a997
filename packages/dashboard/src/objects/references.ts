// The objects an object refers to by name: found by the names fields have across Kubernetes' kinds, so that custom kinds that follow
// the conventions are understood too.
import { isObject } from "@kubewright/api";

/** The field that holds the name, and the kind it is of; by the field of the object around it. */
const byField: ReadonlyMap<string, readonly [nameField: string, kind: string]> = new Map([
  ["configMap", ["name", "ConfigMap"]],
  ["configMapRef", ["name", "ConfigMap"]],
  ["configMapKeyRef", ["name", "ConfigMap"]],
  ["secret", ["secretName", "Secret"]],
  ["secretRef", ["name", "Secret"]],
  ["secretKeyRef", ["name", "Secret"]],
  ["persistentVolumeClaim", ["claimName", "PersistentVolumeClaim"]],
  ["service", ["name", "Service"]],
]);
/** Fields whose value alone is a name. */
const byName: ReadonlyMap<string, string> = new Map([
  ["configMapName", "ConfigMap"],
  ["secretName", "Secret"],
]);
/** Mounted into every pod, and so of no interest. */
const everywhere = "kube-root-ca.crt";
const most = 100;

/** As `kind/namespace/name`, each once. */
export function referencesIn(spec: unknown, namespace: string | undefined): readonly string[] {
  const found = new Set<string>();
  const add = (kind: string, name: unknown): void => {
    if (typeof name === "string" && name !== "" && name !== everywhere && found.size < most)
      found.add(`${kind}/${namespace ?? ""}/${name}`);
  };
  const look = (value: unknown, field: string): void => {
    if (Array.isArray(value)) for (const item of value) look(item, field);
    if (!isObject(value)) return;
    const named = byField.get(field);
    if (named) add(named[1], value[named[0]]);
    if (field.endsWith("Ref") && typeof value["kind"] === "string") add(value["kind"], value["name"]);
    for (const [key, inner] of Object.entries(value)) {
      const kind = byName.get(key);
      if (kind && typeof inner === "string") add(kind, inner);
      else look(inner, key);
    }
  };
  look(spec, "");
  return [...found];
}
