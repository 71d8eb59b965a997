import { expect, test } from "vitest";
import { servingInPod } from "./open-manager.js";

test.each([
  [{}, { mode: "service", drain: 5_000 }],
  [{ webhookDrain: 0 }, { mode: "service", drain: 0 }],
  [{ webhooks: false }, false],
])("webhooks in a pod with the settings %j", (settings, serving) => {
  expect(servingInPod(settings)).toEqual(serving);
});
