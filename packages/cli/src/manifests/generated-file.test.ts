import { expect, test } from "vitest";
import { originOf, sealed } from "./generated-file.js";

const text = sealed("kind: Role\n", "config/rbac/role.yaml");

test.each([
  [text, "generated"],
  [sealed("kind: Shop\n", "config/samples/shop.yaml"), "generated"],
  [sealed('{\n  "a": 1\n}\n', "config/grafana/dashboard.json"), "generated"],
  [sealed('{\n  "a": 1\n}\n', "config/grafana/dashboard.json").replace("1\n", "2\n"), "edited"],
  [text.replace("Role", "ClusterRole"), "edited"],
  [`${text}\n`, "edited"],
  ["kind: Role\n", "foreign"],
  ["", "foreign"],
])("%j is %s", (content, origin) => {
  expect(originOf(content)).toBe(origin);
});
