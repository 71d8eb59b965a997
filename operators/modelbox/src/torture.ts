// What `kubewright torture` does to this operator.
import { objectsScenario, type TortureSettings } from "@kubewright/testing";

const modelBox = {
  apiVersion: "model.github.com/v1",
  kind: "ModelBox",
  metadata: { name: "web", labels: { team: "models" } },
  spec: { image: "nginx:1.27", replicas: 2, ports: [{ port: 80, targetPort: 80 }] },
};
const policy = {
  apiVersion: "model.github.com/v1",
  kind: "ModelBoxPolicy",
  metadata: { name: "team-defaults" },
  spec: {
    selector: { matchLabels: { team: "models" } },
    containers: [{ name: "side", image: "envoy:1" }],
  },
};

export default {
  scenario: objectsScenario([policy, modelBox], {
    changed: [
      { ...policy, spec: { ...policy.spec, containers: [{ name: "other", image: "envoy:1" }] } },
      { ...modelBox, spec: { ...modelBox.spec, image: "nginx:1.28", replicas: 1 } },
    ],
  }),
} satisfies TortureSettings;
