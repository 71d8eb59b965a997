// A custom resource for tests that ask whether custom and built-in kinds behave alike.
import { vi } from "vitest";
import type { requestServer } from "./request-server.js";

export interface CronTabOptions {
  readonly scope?: "Namespaced" | "Cluster" | undefined;
  readonly selectableFields?: readonly { readonly jsonPath: string }[] | undefined;
}

/** Where CronTabs of the namespace `test` are. */
export const cronTabs = "/apis/stable.example.com/v1/namespaces/test/crontabs";

/** Where they are when they have no namespace. */
export const clusterCronTabs = "/apis/stable.example.com/v1/crontabs";

export const cronTab = (metadata: object, rest: object = {}) => ({
  apiVersion: "stable.example.com/v1",
  kind: "CronTab",
  metadata,
  ...rest,
});

/** Makes the server serve CronTabs, with status and scale. */
export async function defineCronTabs(
  { call }: Pick<Awaited<ReturnType<typeof requestServer>>, "call">,
  { scope = "Namespaced", selectableFields = [] }: CronTabOptions = {},
): Promise<void> {
  const openAPIV3Schema = {
    type: "object",
    properties: {
      spec: {
        type: "object",
        properties: { replicas: { type: "integer" }, image: { type: "string" } },
      },
      status: { type: "object", properties: { replicas: { type: "integer" } } },
    },
  };
  const scale = { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" };
  await call("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
    metadata: { name: "crontabs.stable.example.com" },
    spec: {
      group: "stable.example.com",
      scope,
      names: { plural: "crontabs", kind: "CronTab" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema },
          subresources: { status: {}, scale },
          selectableFields,
        },
      ],
    },
  });
  await vi.waitFor(async () => {
    const { status } = await call("GET", clusterCronTabs);
    if (status !== 200) throw new Error("CronTabs are not served yet");
  });
}
