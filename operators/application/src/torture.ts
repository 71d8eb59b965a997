// What `kubewright torture` does to this operator.
import { objectsScenario, type TortureSettings } from "@kubewright/testing";

const application = {
  apiVersion: "app.aiops.org/v1",
  kind: "Application",
  metadata: { name: "web" },
  spec: {
    deployment: { image: "nginx:1.27", replicas: 2, port: 8080 },
    service: { ports: [{ port: 8080, targetPort: 8080 }] },
    ingress: { rules: [{ host: "web.example.com" }] },
  },
};

export default {
  scenario: objectsScenario([application], {
    changed: [{ ...application, spec: { deployment: { image: "nginx:1.28", port: 9090 } } }],
  }),
} satisfies TortureSettings;
