import { expect, test } from "vitest";
// @ts-expect-error a script without types
import { nextSteps } from "../../scripts/next-steps.mjs";

const text: string = nextSteps({
  operators: 2,
  kinds: [
    { kind: "Guestbook", plural: "guestbooks" },
    { kind: "CronTab", plural: "crontabs" },
  ],
  sample: { kind: "Guestbook", metadata: { name: "sample" } },
  kubeconfig: "/tmp/my folder/kubeconfig",
  dashboard: "http://127.0.0.1:1/#token=x",
});

test("make run names the operators and the custom kinds that kubectl get all would hide", () => {
  expect(text).toContain("2 operators run, with the kinds Guestbook, CronTab.");
  expect(text).toContain("kubectl get guestbooks,crontabs");
});

test("make run prints three commands worth running, a quoted kubeconfig and the dashboard", () => {
  expect(text.match(/^ {2}kubectl /gm)).toHaveLength(3);
  expect(text).toContain("export KUBECONFIG='/tmp/my folder/kubeconfig'");
  expect(text).toContain("kubectl describe guestbook sample");
  expect(text).toContain("http://127.0.0.1:1/#token=x");
  expect(text).toContain("Ctrl-C stops everything");
});
