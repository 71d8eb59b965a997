// What is imported defines the same kind: the generated code is run, and its CustomResourceDefinition compared.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { checkedCrd } from "./checked-crd.js";
import { parseCrds } from "./crd-documents.js";
import { definitionSource } from "./definition-source.js";
import { comparable } from "./testing/crd-essence.js";
import { loadDefinition } from "./testing/load-definition.js";
import { withoutBuiltInTexts } from "./testing/without-texts.js";

const fixture = (name: string) =>
  parseCrds(readFileSync(join(import.meta.dirname, "fixtures", name), "utf8"), name);
const fixtures = readdirSync(join(import.meta.dirname, "fixtures")).flatMap(fixture);

describe("a definition that is imported and written again is the same", () => {
  test.each(fixtures.map((crd) => [crd.spec.names.kind, crd] as const))("%s", (kind, crd) => {
    const { source, losses, builtIns } = definitionSource(checkedCrd(crd), "a file");
    expect(losses).toEqual([]);
    const [before, after] = [crd, loadDefinition(source, kind)].map((each) =>
      comparable(withoutBuiltInTexts(each, builtIns)),
    );
    expect(after).toEqual(before);
  });
});

test("built-in types are referred to, where a definition means what they mean", () => {
  const [crd] = fixture("runners.yaml");
  const { source, builtIns } = definitionSource(checkedCrd(crd), "a file");
  expect(builtIns.map(({ path, type }) => `${path.join(".")} ${type}`)).toEqual([
    "v1.spec.env.[] EnvVar",
    "v1.spec.resources ResourceRequirements",
    "v1.spec.selector LabelSelector",
    "v1.spec.tokenSecretRef SecretKeySelector",
    "v1.status.conditions.[] Condition",
  ]);
  expect(source).toContain('.describe("Environment of every build.\\nLater entries win.")');
  expect(source).toContain("// v1.spec.tolerations[] is not the built-in Toleration because of effect.enum");
});

test("what has no expression is reported, in a comment and to the caller", () => {
  const [crd] = fixture("certificates.yaml");
  const [version] = crd!.spec.versions;
  const root = { ...version!.schema!.openAPIV3Schema!, "x-kubernetes-preserve-unknown-fields": true };
  const odd = {
    ...crd!,
    spec: { ...crd!.spec, versions: [{ ...version!, schema: { openAPIV3Schema: root } }] },
  };
  const { source, losses } = definitionSource(checkedCrd(odd), "a file");
  expect(losses).toEqual(["v1: x-kubernetes-preserve-unknown-fields of the whole object"]);
  expect(source).toContain("// Not imported: v1: x-kubernetes-preserve-unknown-fields of the whole object.");
});

describe("files that hold no definition are refused", () => {
  test.each([
    ["kind: ConfigMap\n", "there is no CustomResourceDefinition in it"],
    ["{", "Flow map"],
    [
      "apiVersion: apiextensions.k8s.io/v1beta1\nkind: CustomResourceDefinition\n",
      "apiextensions.k8s.io/v1 is needed",
    ],
    [
      "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n",
      "lacks group, names or versions",
    ],
  ])("%j", (text, message) => {
    expect(() => parseCrds(text, "x.yaml")).toThrow(message);
  });
});
