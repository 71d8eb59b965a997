import type { TransportRequest } from "@kubewright/api";
import { Client } from "@kubewright/client";
import { describe, expect, test } from "vitest";
import { operatorImage } from "./operator-image.js";

const env = { POD_NAME: "operator-1", POD_NAMESPACE: "system" };

/** A cluster whose only pod has these containers. */
function clusterWith(...containers: readonly { readonly name: string; readonly image: string }[]) {
  const paths: string[] = [];
  const transport = async ({ path }: TransportRequest) => {
    paths.push(path);
    const value = { apiVersion: "v1", kind: "Pod", spec: { containers } };
    return { status: 200, headers: {}, body: { kind: "object", value } as const };
  };
  return { paths, open: async () => new Client({ transport }) };
}

describe("the operator's image", () => {
  test("is that of OPERATOR_IMAGE, without a request", async () => {
    const { paths, open } = clusterWith();
    expect(await operatorImage({ ...env, OPERATOR_IMAGE: "given:1" }, open)()).toBe("given:1");
    expect(paths).toEqual([]);
  });

  test("is that of the manager's container in its own pod, which is read once", async () => {
    const { paths, open } = clusterWith(
      { name: "proxy", image: "envoy:1" },
      { name: "manager", image: "own:2" },
    );
    const image = operatorImage(env, open);
    expect([await image(), await image()]).toEqual(["own:2", "own:2"]);
    expect(paths).toEqual(["/api/v1/namespaces/system/pods/operator-1"]);
  });

  test("is that of the first container where none is the manager's", async () => {
    const { open } = clusterWith({ name: "operator", image: "own:3" });
    expect(await operatorImage(env, open)()).toBe("own:3");
  });

  test("is not known outside a pod, which the error has a remedy for", async () => {
    await expect(operatorImage({})()).rejects.toThrow("set OPERATOR_IMAGE where it runs outside a pod");
  });

  test("is asked for again after a failure", async () => {
    const answers = [clusterWith(), clusterWith({ name: "manager", image: "own:4" })];
    const image = operatorImage(env, async () => (answers.shift() ?? clusterWith()).open());
    await expect(image()).rejects.toThrow("Pod system/operator-1 has no image");
    expect(await image()).toBe("own:4");
  });
});
