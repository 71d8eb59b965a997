import type { CustomResourceDefinitionVersion } from "@kubewright/api";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { kube } from "../kube/index.js";
import { defineResource } from "./define-resource.js";
import type { VersionOptions } from "./resource-options.js";

/** The version of a kind that has only these options. */
function versionOf(options: VersionOptions): CustomResourceDefinitionVersion | undefined {
  const definition = defineResource({ group: "a.example.com", version: "v1", kind: "Thing", ...options });
  return definition.crd().spec.versions[0];
}

describe("printer columns of defineResource", () => {
  const spec = z.object({
    count: z.int(),
    ratio: z.number(),
    on: z.boolean(),
    text: z.string(),
    since: kube.time(),
    port: kube.intOrString(),
    list: z.array(z.object({ name: z.string(), size: z.int() })),
    labels: z.record(z.string(), z.int()),
    any: z.unknown(),
    "odd-name": z.int(),
  });

  it.each([
    [".spec.count", "integer"],
    [".spec.ratio", "number"],
    [".spec.on", "boolean"],
    [".spec.text", "string"],
    [".spec.since", "date"],
    [".spec.port", "string"],
    [".spec.list", "string"],
    [".spec.list[0].size", "integer"],
    [".spec.list[*].name", "string"],
    ['.spec.list[?(@.name=="a")].size', "integer"],
    [".spec.labels.anything", "integer"],
    [".spec['odd-name']", "integer"],
    [".spec.any.deep.down", "string"],
    [".metadata.creationTimestamp", "date"],
    [".metadata.labels.app", "string"],
    [".kind", "string"],
  ])("%s is of type %s", (path, type) => {
    const [column] = versionOf({ spec, columns: { Title: path } })?.additionalPrinterColumns ?? [];
    expect(column).toEqual({ name: "Title", type, jsonPath: path });
  });

  it("take description, priority, format and type as given, and omit Age when it is false", () => {
    const since = {
      path: ".spec.since",
      description: "when",
      priority: 1,
      format: "date",
      type: "string",
    } as const;
    expect(versionOf({ spec, columns: { Since: since, Age: false } })?.additionalPrinterColumns).toEqual([
      {
        name: "Since",
        type: "string",
        jsonPath: ".spec.since",
        description: "when",
        priority: 1,
        format: "date",
      },
    ]);
    const own = versionOf({ spec, columns: { Age: ".spec.since" } })?.additionalPrinterColumns;
    expect(own).toEqual([{ name: "Age", type: "date", jsonPath: ".spec.since" }]);
    expect(versionOf({ spec })?.additionalPrinterColumns).toBeUndefined();
  });
});
