import { describe, expect, test } from "vitest";
import {
  camelCase,
  checkDomain,
  checkGroup,
  checkKind,
  checkProjectName,
  checkVersion,
  kebabCase,
  pascalCase,
} from "./names.js";

test.each([
  ["ModelBox", "model-box", "modelBox"],
  ["HTTPRoute", "http-route", "httpRoute"],
  ["Hpa", "hpa", "hpa"],
  ["CronTab2", "cron-tab2", "cronTab2"],
  ["EtcdClusterV3", "etcd-cluster-v3", "etcdClusterV3"],
])("%s has files named %s and variables named %s", (kind, kebab, camel) => {
  expect(kebabCase(kind)).toBe(kebab);
  expect(camelCase(kind)).toBe(camel);
  expect(pascalCase(kebab)).toBe(camel.charAt(0).toUpperCase() + camel.slice(1));
});

describe("names that cannot be are refused", () => {
  test.each([
    [checkKind, "modelBox", "did you mean ModelBox?"],
    [checkKind, "model-box", "did you mean ModelBox?"],
    [checkKind, "PodList", "those of lists"],
    [checkKind, "Promise", "reserved"],
    [checkKind, "Größe", "letters and digits"],
    [checkVersion, "1", "a version such as v1"],
    [checkVersion, "v0", "a version such as v1"],
    [checkVersion, "v1gamma1", "a version such as v1"],
    [checkGroup, "Shop", "lower-case"],
    [checkDomain, "Example.com", "lower-case"],
    [checkDomain, "a..b", "lower-case"],
    [checkDomain, "x.k8s.io", "reserved for Kubernetes"],
    [checkProjectName, "My_Operator", "--project-name"],
    [checkProjectName, "a".repeat(51), "--project-name"],
  ])("%o of %s", (check, name, message) => {
    expect(() => check(name)).toThrow(message);
  });
});
