import { describe, expect, test } from "vitest";
import { type Query, type Selection, Selector } from "./selection.js";

describe("an informer selection", () => {
  const same: [Selection, Selection][] = [
    [{}, { namespaces: undefined }],
    [{ namespaces: ["b", "a", "a"] }, { namespaces: ["a", "b"] }],
    [{ labelSelector: "b=2,a=1" }, { labelSelector: { matchLabels: { a: "1", b: "2" } } }],
    [{ fieldSelector: "b=2,a=1" }, { fieldSelector: "a=1,b=2" }],
  ];
  test.each(same)("%j is the same as %j", (one, other) => {
    expect(String(new Selector(one))).toBe(String(new Selector(other)));
  });

  test("of no namespace differs from that of all", () => {
    expect(String(new Selector({ namespaces: [] }))).not.toBe(String(new Selector({})));
  });

  const pod = {
    metadata: { name: "a", namespace: "shop", labels: { app: "web" } },
    spec: { nodeName: "n1" },
  };
  const selections: [Selection, boolean][] = [
    [{}, true],
    [{ namespaces: ["shop", "lab"] }, true],
    [{ namespaces: ["lab"] }, false],
    [{ labelSelector: "app=web" }, true],
    [{ labelSelector: "app!=web" }, false],
    [{ fieldSelector: "spec.nodeName=n1,metadata.name=a" }, true],
    [{ fieldSelector: "spec.nodeName=n2" }, false],
    [{ fieldSelector: "spec.unschedulable=false" }, true],
  ];
  test.each(selections)("%j matches: %s", (selection, expected) => {
    expect(new Selector(selection).matches(pod)).toBe(expected);
  });

  const questions: [Selection, Query, boolean][] = [
    [{}, {}, true],
    [{}, { namespace: "shop", labelSelector: "app=web" }, true],
    [{ namespaces: ["shop"] }, { namespace: "shop" }, true],
    [{ namespaces: ["shop"] }, {}, false],
    [{ namespaces: ["shop"] }, { namespace: "lab" }, false],
    [{ labelSelector: "app=web" }, {}, false],
    [{ labelSelector: "app=web" }, { labelSelector: { matchLabels: { app: "web" } } }, true],
    [{ labelSelector: "app=web" }, { labelSelector: "app=web,tier=x" }, false],
    [{ fieldSelector: "spec.nodeName=n1" }, { fieldSelector: "spec.nodeName=n1" }, true],
  ];
  test.each(questions)("%j can answer %j: %s", (selection, query, expected) => {
    expect(new Selector(selection).covers(query)).toBe(expected);
  });
});
