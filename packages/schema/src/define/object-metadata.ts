// Every object has these fields, whatever its own schema says; paths and rules may name them.
import type { JSONSchemaProps } from "@kubewright/api";

const text: JSONSchemaProps = { type: "string" };
const time: JSONSchemaProps = { type: "string", format: "date-time" };
const integer: JSONSchemaProps = { type: "integer", format: "int64" };
const textMap: JSONSchemaProps = { type: "object", additionalProperties: text };

/** The fields that Kubernetes gives to every object. */
export const objectFields: Readonly<Record<string, JSONSchemaProps>> = {
  apiVersion: text,
  kind: text,
  metadata: {
    type: "object",
    properties: {
      name: text,
      namespace: text,
      generateName: text,
      uid: text,
      resourceVersion: text,
      generation: integer,
      creationTimestamp: time,
      deletionTimestamp: time,
      labels: textMap,
      annotations: textMap,
      finalizers: { type: "array", items: text },
      ownerReferences: {
        type: "array",
        items: { type: "object", properties: { apiVersion: text, kind: text, name: text, uid: text } },
      },
    },
  },
};
