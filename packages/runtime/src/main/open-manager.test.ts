import { expect, test } from "vitest";
import { servingInPod } from "./open-manager.js";

test.each([
  [{}, { mode: "service", drain: 5_000 }],
  [{ webhookDrain: 0 }, { mode: "service", drain: 0 }],
  [{ webhooks: false }, false],
])("a manager in a pod serves webhooks as the settings %j ask", (settings, serving) => {
  expect(servingInPod(settings)).toEqual(serving);
});
