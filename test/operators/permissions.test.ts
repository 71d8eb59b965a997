// The permissions to write that the operators ask for: what their code does, and no more.
import { permissionsOf } from "@kubewright/runtime";
import { expect, test } from "vitest";
import application from "../../operators/application/src/main.js";
import appservice from "../../operators/appservice/src/main.js";
import crontab from "../../operators/crontab/src/main.js";
import guestbook from "../../operators/guestbook/src/main.js";
import modelbox from "../../operators/modelbox/src/main.js";
import scheduledScaler from "../../operators/scheduled-scaler/src/main.js";

const reading = new Set(["get", "list", "watch"]);

/** `deployments.apps: create, patch` for every resource that may be written. */
function writesOf(manager: Parameters<typeof permissionsOf>[0]): readonly string[] {
  return permissionsOf(manager).flatMap(({ apiGroups = [], resources = [], resourceNames, verbs }) => {
    const writing = verbs.filter((verb) => !reading.has(verb));
    if (writing.length === 0) return [];
    const names = resourceNames ? ` ${resourceNames.join(" ")}` : "";
    return resources.flatMap((resource) =>
      apiGroups.map(
        (group) => `${group === "" ? resource : `${resource}.${group}`}${names}: ${writing.join(", ")}`,
      ),
    );
  });
}

const all = "create, patch, delete";
const events = "events.events.k8s.io: create, patch";

test.each([
  [
    application,
    [
      `services: ${all}`,
      "applications/finalizers.app.aiops.org: update",
      "applications/status.app.aiops.org: patch",
      `deployments.apps: ${all}`,
      events,
      `ingresses.networking.k8s.io: ${all}`,
      `poddisruptionbudgets.policy: ${all}`,
    ],
  ],
  [
    appservice,
    [
      `services: ${all}`,
      "customresourcedefinitions.apiextensions.k8s.io appservices.app.example.com: patch",
      "appservices/finalizers.app.example.com: update",
      "appservices/status.app.example.com: patch",
      "deployments.apps: create, patch",
      events,
      `poddisruptionbudgets.policy: ${all}`,
    ],
  ],
  [
    crontab,
    [
      "validatingwebhookconfigurations.admissionregistration.k8s.io crontab-validating-webhook-configuration: patch",
      "jobs.batch: create, delete",
      events,
      "crontabs/finalizers.stable.example.com: update",
      "crontabs/status.stable.example.com: patch",
    ],
  ],
  [
    guestbook,
    [
      "deployments.apps: create, patch",
      events,
      `poddisruptionbudgets.policy: ${all}`,
      "guestbooks/finalizers.webapp.tutorial.kubebuilder.io: update",
      "guestbooks/status.webapp.tutorial.kubebuilder.io: patch",
    ],
  ],
  [
    modelbox,
    [
      `services: ${all}`,
      "mutatingwebhookconfigurations.admissionregistration.k8s.io modelbox-mutating-webhook-configuration: patch",
      "validatingwebhookconfigurations.admissionregistration.k8s.io modelbox-validating-webhook-configuration: patch",
      "deployments.apps: create, patch",
      events,
      "modelboxes/finalizers.model.github.com: update",
      "modelboxes/status.model.github.com: patch",
      "modelboxpolicies/status.model.github.com: patch",
      `poddisruptionbudgets.policy: ${all}`,
    ],
  ],
  [
    scheduledScaler,
    [
      "validatingwebhookconfigurations.admissionregistration.k8s.io scheduled-scaler-validating-webhook-configuration: patch",
      "hpas/status.autoscal.aiops.org: patch",
      "horizontalpodautoscalers.autoscaling: patch",
      events,
      "*/scale.*: patch",
    ],
  ],
] as const)("$0.name: asks for no permission to write that its code does not use", (manager, writes) => {
  expect(writesOf(manager)).toEqual(writes);
});
