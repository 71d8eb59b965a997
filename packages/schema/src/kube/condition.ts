// The schema of a condition, with what `kubectl explain` shows for its fields.
import type { Condition } from "@kubewright/api";
import { embeddedSchema } from "@kubewright/api/type-info";
import { type KubeSchema, rawSchema } from "./raw-schema.js";

const descriptions: Readonly<Record<keyof Condition, string>> = {
  type: "The name of the condition in CamelCase, such as Ready",
  status: "True, False or Unknown",
  observedGeneration: "The metadata.generation that the condition is about; an older one is out of date",
  lastTransitionTime: "When the status of the condition last changed",
  reason: "Why the condition has this status, as one word in CamelCase for programs",
  message: "Why the condition has this status, as a sentence for people",
};

export function condition(): KubeSchema<Condition> {
  return rawSchema(() => {
    const { properties = {}, ...schema } = embeddedSchema("io.k8s.apimachinery.pkg.apis.meta.v1.Condition");
    const described = Object.entries(descriptions).map(([field, description]) => [
      field,
      { description, ...properties[field] },
    ]);
    return { ...schema, properties: { ...properties, ...Object.fromEntries(described) } };
  });
}
