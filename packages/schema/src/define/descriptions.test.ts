import type { CustomResourceDefinitionVersion, JSONSchemaProps } from "@kubewright/api";
import { describe, expect, it } from "vitest";
import { trimDescriptions } from "./descriptions.js";

function versionWith(fields: number, description: string): CustomResourceDefinitionVersion {
  const field: JSONSchemaProps = {
    type: "array",
    description,
    items: { type: "object", additionalProperties: { type: "string", description } },
  };
  const properties = Object.fromEntries(Array.from({ length: fields }, (_, i) => [`field${i}`, field]));
  return {
    name: "v1",
    served: true,
    storage: true,
    schema: { openAPIV3Schema: { type: "object", description, properties } },
  };
}

const size = (versions: unknown): number => Buffer.byteLength(JSON.stringify(versions));
const descriptionOf = (versions: readonly CustomResourceDefinitionVersion[]): string | undefined =>
  versions[0]?.schema?.openAPIV3Schema?.description;

describe("trimming descriptions", () => {
  it("leaves a definition alone that fits", () => {
    const versions = [versionWith(10, "Says what the field is for. ".repeat(100))];
    expect(trimDescriptions(versions)).toBe(versions);
  });

  it.each([
    ["at a sentence", "A short first sentence. ".repeat(100), 120, /first sentence\.$/],
    ["at a word", `${"word ".repeat(400)}`, 120, /word…$/],
    ["within a word when it must", "x".repeat(2000), 120, /^x+…$/],
    ["never within a character", "😀".repeat(1000), 60, /^(😀)+…$/u],
  ])("shortens each %s until all fit", (_name, text, fields, expected) => {
    const trimmed = trimDescriptions([versionWith(fields, text)]);
    expect(size(trimmed)).toBeLessThanOrEqual(196_608);
    expect(descriptionOf(trimmed)).toMatch(expected);
  });

  it("drops them when nothing else helps, and keeps the schema", () => {
    const trimmed = trimDescriptions([versionWith(2500, "Says what the field is for.")]);
    expect(descriptionOf(trimmed)).toBeUndefined();
    expect(Object.keys(trimmed[0]?.schema?.openAPIV3Schema?.properties ?? {})).toHaveLength(2500);
  });

  it("counts all versions together", () => {
    const version = versionWith(120, "A sentence that says something. ".repeat(20));
    expect(trimDescriptions([version])[0]).toBe(version);
    expect(size(trimDescriptions([version, version]))).toBeLessThanOrEqual(196_608);
  });
});
