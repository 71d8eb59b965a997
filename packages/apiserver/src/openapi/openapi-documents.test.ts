import { beforeAll, describe, expect, test, vi } from "vitest";
import { createApiServer } from "../server.js";

type Json = Readonly<Record<string, unknown>>;
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components: { readonly schemas: Json; readonly securitySchemes: Json };
  readonly definitions: Json;
  readonly parameters: Json;
}

const crd = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "crontabs.stable.example.com" },
  spec: {
    group: "stable.example.com",
    scope: "Namespaced",
    names: { plural: "crontabs", kind: "CronTab" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        selectableFields: [{ jsonPath: ".spec.n" }],
        subresources: { status: {}, scale: { specReplicasPath: ".spec.n", statusReplicasPath: ".status.n" } },
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: { spec: { type: "object", properties: { n: { type: "integer", default: 5 } } } },
          },
        },
      },
    ],
  },
};

const documents = new Map<string, Document>();
let swagger: Document;

beforeAll(async () => {
  const server = createApiServer();
  const transport = server.transport();
  const get = async (path: string) => {
    const { body } = await transport({ method: "GET", path });
    return body.kind === "object" ? (body.value as Document) : undefined;
  };
  const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  await transport({ method: "POST", path, body: { kind: "object", value: crd } });
  await vi.waitFor(async () => expect(await get("/openapi/v3/apis/stable.example.com/v1")).toBeDefined());
  const index = await get("/openapi/v3");
  for (const name of Object.keys(index?.paths ?? {})) {
    const document = await get(`/openapi/v3/${name}`);
    if (document) documents.set(name, document);
  }
  swagger = (await get("/openapi/v2")) as Document;
  server.close();
});

const of = (name: string): Document => documents.get(name) ?? expect.fail(`there is no document ${name}`);

/** Operations of a document, with their paths. */
const operationsOf = ({ paths }: Document) =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => method !== "parameters")
      .map(([method, operation]) => ({
        path,
        method,
        ...(operation as { operationId: string; tags: string[] }),
      })),
  );

const references = (value: unknown): string[] =>
  [...JSON.stringify(value).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, target]) => target ?? "");

describe("OpenAPI v3", () => {
  test("has a document for each group version, each group, and the paths of the server", () => {
    expect([...documents.keys()]).toEqual(
      expect.arrayContaining([
        "api",
        "api/v1",
        "apis",
        "apis/apps",
        "apis/apps/v1",
        "version",
        "openid/v1/jwks",
      ]),
    );
    expect(documents.has("apis/stable.example.com")).toBe(false);
  });

  test("contains no dangling reference", () => {
    for (const [name, document] of documents) {
      const missing = references(document).filter(
        (target) => !Object.hasOwn(document.components.schemas, target.replace("components/schemas/", "")),
      );
      expect([name, missing]).toEqual([name, []]);
    }
  });

  test("names each operation once", () => {
    const ids = [...documents.values()].flatMap(operationsOf).map(({ operationId }) => operationId);
    expect(ids.length).toBeGreaterThan(800);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test.each([
    [
      "apis/apps/v1",
      "/apis/apps/v1/namespaces/{namespace}/deployments",
      "get",
      "listAppsV1NamespacedDeployment",
    ],
    ["apis/apps/v1", "/apis/apps/v1/deployments", "get", "listAppsV1DeploymentForAllNamespaces"],
    [
      "apis/apps/v1",
      "/apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale",
      "patch",
      "patchAppsV1NamespacedDeploymentScale",
    ],
    [
      "apis/apps/v1",
      "/apis/apps/v1/watch/namespaces/{namespace}/deployments",
      "get",
      "watchAppsV1NamespacedDeploymentList",
    ],
    [
      "apis/rbac.authorization.k8s.io/v1",
      "/apis/rbac.authorization.k8s.io/v1/clusterroles",
      "delete",
      "deleteRbacAuthorizationV1CollectionClusterRole",
    ],
    [
      "api/v1",
      "/api/v1/namespaces/{namespace}/pods/{name}/exec",
      "post",
      "connectCoreV1PostNamespacedPodExec",
    ],
    [
      "api/v1",
      "/api/v1/namespaces/{namespace}/pods/{name}/eviction",
      "post",
      "createCoreV1NamespacedPodEviction",
    ],
    [
      "apis/stable.example.com/v1",
      "/apis/stable.example.com/v1/namespaces/{namespace}/crontabs/{name}/status",
      "put",
      "replaceStableExampleComV1NamespacedCronTabStatus",
    ],
  ])("%s: %s %s is %s", (name, path, method, id) => {
    expect(of(name).paths[path]?.[method]).toMatchObject({ operationId: id });
  });

  test("contains shared parameters of a path once, by name", () => {
    const names = (value: unknown) => (value as { name: string }[]).map(({ name }) => name);
    const item = of("apis/apps/v1").paths["/apis/apps/v1/namespaces/{namespace}/deployments/{name}"];
    expect(names(item?.["parameters"])).toEqual(["name", "namespace", "pretty"]);
    expect(names((item?.["patch"] as Json | undefined)?.["parameters"])).toEqual([
      "dryRun",
      "fieldManager",
      "fieldValidation",
      "force",
    ]);
    expect(item?.["get"]).not.toHaveProperty("parameters");
  });

  test("names how clients authenticate", () => {
    expect(of("version").components.securitySchemes).toHaveProperty("BearerToken");
  });

  test("contains no empty list of schemas, which Go's decoder would drop", () => {
    for (const { components } of documents.values()) expect(components.schemas).not.toEqual({});
    expect(of("openid/v1/jwks").components).not.toHaveProperty("schemas");
  });

  test("of custom resources has the head that kube-apiserver gives it", () => {
    const { components, ...rest } = of("apis/stable.example.com/v1");
    expect(rest).toMatchObject({ info: { title: "Kubernetes CRD Swagger", version: "v0.1.0" } });
    expect(components).not.toHaveProperty("securitySchemes");
  });

  test("of custom resources names their selectable fields, and what their scale belongs to", () => {
    const { components, paths } = of("apis/stable.example.com/v1");
    const selectable = { "x-kubernetes-selectable-fields": [{ fieldPath: "spec.n" }] };
    for (const kind of ["CronTab", "CronTabList"])
      expect(components.schemas[`com.example.stable.v1.${kind}`]).toMatchObject(selectable);
    expect(swagger.definitions["com.example.stable.v1.CronTab"]).toMatchObject(selectable);
    const scale = paths["/apis/stable.example.com/v1/namespaces/{namespace}/crontabs/{name}/scale"];
    expect(scale?.["get"]).toMatchObject({
      "x-kubernetes-group-version-kind": { group: "stable.example.com", version: "v1", kind: "CronTab" },
    });
  });
});

describe("OpenAPI v2", () => {
  test("contains no dangling reference", () => {
    const missing = references(swagger).filter((target) => {
      const [section = "", name = ""] = target.split(/\/(.*)/);
      return !Object.hasOwn(section === "parameters" ? swagger.parameters : swagger.definitions, name);
    });
    expect(missing).toEqual([]);
  });

  test("contains the operations of all v3 documents", () => {
    const ids = (document: Document) => operationsOf(document).map(({ operationId }) => operationId);
    expect(ids(swagger).sort()).toEqual([...documents.values()].flatMap(ids).sort());
  });

  test("contains no defaults, and only what Swagger 2.0 allows", () => {
    const schemas = Object.values(swagger.definitions) as {
      properties?: Json;
      oneOf?: unknown;
      default?: unknown;
    }[];
    const properties = schemas.flatMap(({ properties: own }) => Object.values(own ?? {}) as Json[]);
    for (const schema of [...schemas, ...properties])
      expect(Object.keys(schema)).not.toEqual(
        expect.arrayContaining([expect.stringMatching(/^(default|oneOf|anyOf|nullable)$/)]),
      );
    // A field of that name is none.
    expect(swagger.definitions["io.k8s.api.core.v1.LimitRangeItem"]).toMatchObject({
      properties: { default: {} },
    });
  });
});
