import type { StructInfo } from "@kubewright/api";
import type { VersionedObject } from "@kubewright/machinery";
import { describe, expect, it } from "vitest";
import { withManagerVersions } from "./manager-versions.js";
import type { RequestContext } from "./request-context.js";
import type { Conversion, ResourceKind } from "./resource-kind.js";

const context = {} as RequestContext;
const typeInfo = { kind: "struct", fields: new Map() } as unknown as StructInfo;
const kindWith = (toVersion: Conversion["toVersion"]): ResourceKind => {
  const conversion: Conversion = {
    fromStorage: (all) => all,
    toStorage: (one) => one,
    ...(toVersion ? { toVersion } : {}),
  };
  return { conversion } as ResourceKind;
};

describe("versions of field managers", () => {
  it("are not converted where all have one schema", async () => {
    expect(await withManagerVersions(context, kindWith(undefined), (convert) => convert)).toBeUndefined();
  });

  it("are returned at once where no conversion webhook is called", async () => {
    let runs = 0;
    const versioned: VersionedObject = { object: { a: 1 }, typeInfo };
    const found = await withManagerVersions(
      context,
      kindWith(() => versioned),
      (convert) => {
        runs += 1;
        return convert?.({}, "v2");
      },
    );
    expect([found, runs]).toEqual([versioned, 1]);
  });

  it("are fetched when they take time, each once, and the work starts over", async () => {
    const asked: string[] = [];
    let runs = 0;
    const found = await withManagerVersions(
      context,
      kindWith(async (object, apiVersion) => {
        asked.push(apiVersion);
        return apiVersion === "gone" ? undefined : { object: { ...object, apiVersion }, typeInfo };
      }),
      (convert) => {
        runs += 1;
        return ["v1", "v2", "gone", "v1"].map((version) => convert?.({ a: 1 }, version)?.object);
      },
    );
    expect(found).toEqual([
      { a: 1, apiVersion: "v1" },
      { a: 1, apiVersion: "v2" },
      undefined,
      { a: 1, apiVersion: "v1" },
    ]);
    expect([asked, runs]).toEqual([["v1", "v2", "gone"], 4]);
  });

  it("that cannot be fetched fail the work", async () => {
    const failing = kindWith(() => Promise.reject(new Error("the webhook is down")));
    await expect(withManagerVersions(context, failing, (convert) => convert?.({}, "v1"))).rejects.toThrow(
      "the webhook is down",
    );
  });
});
