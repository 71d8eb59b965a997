// The names of the operators' kinds as kubectl resolves them: what kubectl calls hpa is the HorizontalPodAutoscaler, also where
// the kind Hpa is installed.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { Hpa } from "../../operators/scheduled-scaler/src/api/v1/hpa.js";
import { findKubectls, KubectlFixture } from "./kubectl.js";

const kubectls = findKubectls();
if (kubectls.length === 0) console.warn("skipped: there is no kubectl on this machine");

const autoscaler = {
  apiVersion: "autoscaling/v2",
  kind: "HorizontalPodAutoscaler",
  metadata: { name: "built-in" },
  spec: { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" }, maxReplicas: 3 },
};
const timetable = {
  apiVersion: "autoscal.aiops.org/v1",
  kind: "Hpa",
  metadata: { name: "timetable" },
  spec: {
    scaleTarget: { apiVersion: "apps/v1", kind: "Deployment", name: "nginx" },
    jobs: [{ name: "scale-up", schedule: "*/1 * * * *", size: 3 }],
  },
};

describe.each(kubectls)("kubectl $version beside the kind Hpa", { timeout: 60_000 }, (kubectl) => {
  let fixture: KubectlFixture;
  beforeAll(async () => {
    fixture = await KubectlFixture.start(kubectl);
    await fixture.ok("apply -f -", { input: stringify(Hpa.crd()) });
    await fixture.ok(`wait --for=condition=Established crd/hpas.autoscal.aiops.org`);
    await fixture.ok("apply -f -", { input: stringify(autoscaler) });
    await fixture.ok("apply -f -", { input: stringify(timetable) });
  });
  afterAll(() => fixture?.close());

  test.each([
    ["hpa", "horizontalpodautoscaler.autoscaling/built-in"],
    ["hpas", "hpa.autoscal.aiops.org/timetable"],
    ["shpa", "hpa.autoscal.aiops.org/timetable"],
    ["scheduledhpa", "hpa.autoscal.aiops.org/timetable"],
    ["hpas.autoscal.aiops.org", "hpa.autoscal.aiops.org/timetable"],
  ])("%s means %s", async (name, expected) => {
    expect((await fixture.ok(`get ${name} -o name`)).trim()).toBe(expected);
  });

  test("delete hpa deletes an autoscaler", async () => {
    const refused = await fixture.run("delete hpa timetable");
    expect(refused.stderr).toContain('horizontalpodautoscalers.autoscaling "timetable" not found');
  });
});
test.skipIf(kubectls.length > 0)("kubectl: not on this machine, nothing was tried", () => undefined);
