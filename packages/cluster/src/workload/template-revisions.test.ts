import { expect, test } from "vitest";
import { revisionData } from "./template-revisions.js";

test("ControllerRevision: the data is the text Go writes for the same template", () => {
  const template = {
    spec: { restartPolicy: "Always", containers: [{ name: "web", image: "i:1" }] },
    metadata: { labels: { b: "2", a: "1" } },
  } as const;
  expect(JSON.stringify(revisionData({ template }))).toBe(
    '{"spec":{"template":{"$patch":"replace","metadata":{"labels":{"a":"1","b":"2"}},"spec":{"containers":[{"image":"i:1","name":"web"}],"restartPolicy":"Always"}}}}',
  );
});
