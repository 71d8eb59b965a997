// What `kubewright torture` does to this operator.
import { objectsScenario, type TortureSettings } from "@kubewright/testing";

const app = {
  apiVersion: "app.example.com/v1",
  kind: "AppService",
  metadata: { name: "web" },
  spec: { size: 2, image: "nginx:1.27", ports: [{ port: 80, targetPort: 80 }] },
};

export default {
  scenario: objectsScenario([app], {
    changed: [{ ...app, spec: { size: 1, image: "nginx:1.28", envs: [{ name: "A", value: "1" }] } }],
  }),
} satisfies TortureSettings;
