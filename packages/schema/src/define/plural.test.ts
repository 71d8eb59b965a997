import { expect, it } from "vitest";
import { pluralOf } from "./plural.js";

it.each([
  ["CronTab", "crontabs"],
  ["ModelBox", "modelboxes"],
  ["Ingress", "ingresses"],
  ["NetworkPolicy", "networkpolicies"],
  ["Gateway", "gateways"],
  ["Patch", "patches"],
  ["Mesh", "meshes"],
  ["Path", "paths"],
  ["Quiz", "quizes"],
  ["EtcdCluster", "etcdclusters"],
  ["Y", "ys"],
])("the plural of %s is %s", (kind, plural) => {
  expect(pluralOf(kind)).toBe(plural);
});
