// What `kubewright torture` does to this operator.
import { objectsScenario, type TortureSettings } from "@kubewright/testing";

const guests = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "guests" },
  data: { TITLE: "Our guests" },
};
const guestbook = {
  apiVersion: "webapp.tutorial.kubebuilder.io/v1",
  kind: "Guestbook",
  metadata: { name: "web" },
  spec: { size: 2, configMapName: "guests", type: "Phone" },
};

export default {
  scenario: objectsScenario([guests, guestbook], {
    changed: [
      { ...guests, data: { TITLE: "Nobody" } },
      { ...guestbook, spec: { ...guestbook.spec, size: 1 } },
    ],
    isDeleted: ({ kind }) => kind === "Guestbook",
  }),
  // While there is no ConfigMap, pods keep the configuration they have.
  byHistory: ["Deployment.spec.template.metadata.annotations"],
} satisfies TortureSettings;
