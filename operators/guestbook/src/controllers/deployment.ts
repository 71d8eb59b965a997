import { createHash } from "node:crypto";
import type { ConfigMap, Deployment } from "@kubewright/api";
import type { Guestbook } from "../api/v1/guestbook.js";

/** On every pod, with the name of its guestbook. */
export const guestbookLabel = "webapp.tutorial.kubebuilder.io/guestbook";

const image = "us-docker.pkg.dev/google-samples/containers/gke/gb-frontend:v5";

/** The pods of a guestbook. Another configuration is another template, so its change rolls them. */
export function deploymentFor({ metadata: { name = "" }, spec }: Guestbook, config: ConfigMap) {
  const labels = { [guestbookLabel]: name };
  const annotations = { "webapp.tutorial.kubebuilder.io/config": fingerprint(config) };
  const container = {
    name: "guestbook",
    image,
    envFrom: [{ configMapRef: { name: spec.configMapName } }],
    env: [{ name: "GUESTBOOK_TYPE", value: spec.type }],
    ports: [{ containerPort: 80 }],
  };
  return {
    metadata: { name, labels },
    spec: {
      replicas: spec.size,
      selector: { matchLabels: labels },
      template: { metadata: { labels, annotations }, spec: { containers: [container] } },
    },
  } satisfies Deployment;
}

function fingerprint({ data = {} }: ConfigMap): string {
  const entries = Object.entries(data).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return createHash("sha256").update(JSON.stringify(entries)).digest("hex").slice(0, 12);
}
