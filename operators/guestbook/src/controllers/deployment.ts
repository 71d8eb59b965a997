import { createHash } from "node:crypto";
import type { ConfigMap, Deployment } from "@kubewright/api";
import { budgetFor, mergePodTemplate } from "@kubewright/runtime/workload";
import type { Guestbook } from "../api/v1/guestbook.js";

/** On every pod, with the name of its guestbook. */
export const guestbookLabel = "webapp.tutorial.kubebuilder.io/guestbook";

/** On every pod, with the fingerprint of its configuration: another configuration is another template, which rolls the pods. */
const configAnnotation = "webapp.tutorial.kubebuilder.io/config";

const image = "us-docker.pkg.dev/google-samples/containers/gke/gb-frontend:v5";

/** The pods of a guestbook, with the fingerprint of their configuration as far as that is known. */
export function deploymentFor({ metadata: { name = "" }, spec }: Guestbook, config: string | undefined) {
  const labels = { [guestbookLabel]: name };
  const annotations = config === undefined ? {} : { annotations: { [configAnnotation]: config } };
  const container = {
    name: "guestbook",
    image,
    envFrom: [{ configMapRef: { name: spec.configMapName } }],
    env: [{ name: "GUESTBOOK_TYPE", value: spec.type }],
    ports: [{ containerPort: 80 }],
  };
  const template = { metadata: { labels, ...annotations }, spec: { containers: [container] } };
  return {
    metadata: { name, labels },
    spec: {
      replicas: spec.size,
      selector: { matchLabels: labels },
      template: mergePodTemplate(template, spec.podTemplate),
    },
  } satisfies Deployment;
}

/** The number of its pods that must stay while nodes are drained. */
export function disruptionBudgetFor({ metadata: { name = "" }, spec }: Guestbook) {
  const labels = { [guestbookLabel]: name };
  return budgetFor({ name, labels }, labels, spec.podDisruptionBudget);
}

export function fingerprint({ data = {} }: ConfigMap): string {
  const entries = Object.entries(data).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return createHash("sha256").update(JSON.stringify(entries)).digest("hex").slice(0, 12);
}

/** The fingerprint that the pods of a Deployment have. */
export function configuredWith(deployment: Deployment | undefined): string | undefined {
  return deployment?.spec?.template.metadata?.annotations?.[configAnnotation];
}
