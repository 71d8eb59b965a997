import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { discoveryGroups } from "./discovery-groups.js";

const published = new URL("../../../../../shared/kube/", import.meta.url);

describe("discoveryGroups", () => {
  it("says what a subresource answers with", () => {
    const apps = discoveryGroups().find((group) => group.metadata.name === "apps");
    const deployments = apps?.versions[0]?.resources.find((resource) => resource.resource === "deployments");
    expect(deployments).toMatchObject({
      scope: "Namespaced",
      singularResource: "deployment",
      shortNames: ["deploy"],
    });
    expect(deployments?.subresources?.[0]).toMatchObject({
      subresource: "scale",
      responseKind: { group: "autoscaling", version: "v1", kind: "Scale" },
    });
  });

  it("prefers the newer version of a group", () => {
    const autoscaling = discoveryGroups().find((group) => group.metadata.name === "autoscaling");
    expect(autoscaling?.versions.map(({ version }) => version)).toEqual(["v2", "v1"]);
  });

  it.skipIf(!existsSync(published))("is what a server published", () => {
    const items = ["discovery-api.json", "discovery-apis.json"].flatMap((file) => {
      const document: { items: unknown[] } = JSON.parse(readFileSync(new URL(file, published), "utf8"));
      return document.items;
    });
    expect(discoveryGroups()).toEqual(items);
  });
});
