import { describe, expect, expectTypeOf, it } from "vitest";
import {
  AutoscalingV1HorizontalPodAutoscaler,
  builtinResources,
  Deployment,
  Event,
  EventsV1Event,
  HorizontalPodAutoscaler,
  type InputOf,
  type IntOrString,
  type JSONSchemaProps,
  type KubeObject,
  Namespace,
  type ObjectOf,
  type Pod,
  type Quantity,
  type ResourceDescriptor,
  type Service,
} from "./index.js";

describe("descriptors of built-in kinds", () => {
  it("say where a kind is served", () => {
    expect(Deployment).toEqual({
      group: "apps",
      version: "v1",
      kind: "Deployment",
      plural: "deployments",
      singular: "deployment",
      scope: "Namespaced",
      shortNames: ["deploy"],
      categories: ["all"],
      verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
      subresources: ["scale", "status"],
    });
    expect(Namespace).toMatchObject({ group: "", scope: "Cluster", subresources: ["finalize", "status"] });
  });

  it.each([
    [Event, ""],
    [EventsV1Event, "events.k8s.io"],
  ])("of the same kind in two groups have two names: %o", (descriptor, group) => {
    expect(descriptor).toMatchObject({ group, kind: "Event", plural: "events" });
  });

  it("keep the plain name for the newest version", () => {
    expect(HorizontalPodAutoscaler.version).toBe("v2");
    expect(AutoscalingV1HorizontalPodAutoscaler.version).toBe("v1");
  });

  it("are all listed, each once", () => {
    const keys = builtinResources.map(({ group, version, plural }) => `${group}/${version}/${plural}`);
    expect(new Set(keys).size).toBe(keys.length);
    expect(builtinResources).toContain(Deployment);
    expect(builtinResources).toContain(EventsV1Event);
  });

  it("carry the type of their kind", () => {
    expectTypeOf<ObjectOf<typeof Deployment>>().toEqualTypeOf<Deployment>();
    expectTypeOf<InputOf<typeof Deployment>>().toEqualTypeOf<Deployment>();
    expectTypeOf(Deployment).toExtend<ResourceDescriptor<Deployment>>();
  });
});

describe("types of built-in kinds", () => {
  it("accept a literal as people write it", () => {
    const web: Deployment = {
      metadata: { name: "web" },
      spec: {
        replicas: 2,
        selector: { matchLabels: { app: "web" } },
        strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%", maxUnavailable: 0 } },
        template: {
          metadata: { labels: { app: "web" } },
          spec: { containers: [{ name: "web", resources: { limits: { cpu: 1, memory: "1Gi" } } }] },
        },
      },
    };
    expectTypeOf(web).toExtend<KubeObject>();
    expect(web.spec?.template.spec?.containers[0]?.name).toBe("web");
  });

  it("are as optional as the schema says", () => {
    type Spec = NonNullable<Pod["spec"]>;
    expectTypeOf<Spec["containers"]>().not.toBeNullable();
    expectTypeOf<Spec["nodeName"]>().toEqualTypeOf<string | undefined>();
    expectTypeOf<NonNullable<Service["spec"]>["type"]>().toEqualTypeOf<
      "ClusterIP" | "ExternalName" | "LoadBalancer" | "NodePort" | undefined
    >();
  });

  it("are the JSON they are", () => {
    expectTypeOf<NonNullable<Pod["metadata"]>["creationTimestamp"]>().toEqualTypeOf<string | undefined>();
    expectTypeOf<Quantity>().toEqualTypeOf<string | number>();
    expectTypeOf<IntOrString>().toEqualTypeOf<number | string>();
    expectTypeOf<Pod["apiVersion"]>().toEqualTypeOf<"v1" | undefined>();
    expectTypeOf<JSONSchemaProps["additionalProperties"]>().toEqualTypeOf<
      JSONSchemaProps | boolean | undefined
    >();
  });

  it("are readonly throughout", () => {
    const change = (pod: Pod): void => {
      // @ts-expect-error a field
      pod.spec = {};
      // @ts-expect-error an item of a list
      pod.spec?.containers.push({ name: "more" });
      // @ts-expect-error an entry of a map
      if (pod.metadata?.labels) pod.metadata.labels["app"] = "web";
    };
    expect(change).toBeTypeOf("function");
  });
});
