import type { TransportRequest, TransportResponse } from "@kubewright/api";
import { afterEach, describe, expect, test } from "vitest";
import { accessServer } from "../auth/fixtures/access-server.js";
import { resourceList } from "./fixtures/extension.js";

/** Busy machines take their time. */
const patient = { timeout: 10_000 };

const apiServices = "/apis/apiregistration.k8s.io/v1/apiservices";
const group = "wardle.example.com";
const base = `/apis/${group}/v1alpha1`;
const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

const flunder = (description: string) => ({
  swagger: "2.0",
  paths: {
    [`${base}/flunders`]: { get: { responses: { 200: { schema: { $ref: "#/definitions/Flunder" } } } } },
    "/apis/other.example.com/v1/things": { get: {} },
  },
  definitions: { Flunder: { description }, Unused: {} },
});

/** An aggregated server that is a function, and serves the OpenAPI document it is given. */
function withFunction(first: { document?: unknown; etag?: string; status?: number }) {
  let now = first;
  const asked: (string | undefined)[] = [];
  const answer = (status: number, value: unknown, headers = {}): TransportResponse => ({
    status,
    headers,
    body: status === 200 ? { kind: "object", value } : { kind: "empty" },
  });
  const extension = async ({ path, headers }: TransportRequest): Promise<TransportResponse> => {
    if (path === base) return answer(200, resourceList);
    if (path !== "/openapi/v2") return answer(404, undefined);
    asked.push(headers?.["if-none-match"] as string | undefined);
    const { document, etag, status = 200 } = now;
    if (etag && headers?.["if-none-match"] === etag) return answer(304, undefined);
    return answer(status, document, etag ? { etag } : {});
  };
  const { server, ask } = accessServer({
    resolveExtension: (api) => (api.group === group ? extension : undefined),
  });
  closing.push(() => server.close());
  const register = () =>
    ask("POST", apiServices, {
      apiVersion: "apiregistration.k8s.io/v1",
      kind: "APIService",
      metadata: { name: `v1alpha1.${group}` },
      spec: { group, version: "v1alpha1", groupPriorityMinimum: 1000, versionPriority: 15 },
    });
  /** Says something else from now on; the server looks again when the APIService changes. */
  const say = async (next: typeof first) => {
    now = next;
    const before = asked.length;
    const path = `${apiServices}/v1alpha1.${group}`;
    const { body } = await ask("GET", path);
    const metadata = { ...body.metadata, annotations: { touched: String(before) } };
    await ask("PUT", path, { ...body, metadata });
    await expect.poll(() => asked.length, patient).toBeGreaterThan(before);
  };
  const swagger = async () => {
    const response = await server.transport()({ method: "GET", path: "/openapi/v2" });
    const document = (response.body as { readonly value: Swagger }).value;
    return { document, etag: response.headers["etag"] };
  };
  return { server, ask, register, say, swagger, asked };
}

interface Swagger {
  readonly paths: Readonly<Record<string, unknown>>;
  readonly definitions: Readonly<Record<string, { readonly description?: string }>>;
}

const shown = async ({ swagger }: ReturnType<typeof withFunction>) =>
  (await swagger()).document.definitions["Flunder"]?.description;

describe("OpenAPI v2 of aggregated servers", () => {
  test("is part of the one document, as far as it is about their group version", async () => {
    const parts = withFunction({ document: flunder("one") });
    const before = await parts.swagger();
    await parts.register();
    await expect.poll(() => shown(parts), patient).toBe("one");
    const { document, etag } = await parts.swagger();
    expect(document.paths).toHaveProperty([`${base}/flunders`]);
    expect(document.paths).toHaveProperty(["/api/v1/pods"]);
    expect(document.paths).not.toHaveProperty(["/apis/other.example.com/v1/things"]);
    expect(document.definitions).not.toHaveProperty("Unused");
    expect(etag).not.toBe(before.etag);
  });

  test("is requested again with its ETag, and replaced when it changed", async () => {
    const parts = withFunction({ document: flunder("one"), etag: '"1"' });
    await parts.register();
    await expect.poll(() => shown(parts), patient).toBe("one");
    const { etag } = await parts.swagger();
    await parts.say({ document: flunder("one"), etag: '"1"' });
    expect(parts.asked.at(-1)).toBe('"1"');
    expect((await parts.swagger()).etag).toBe(etag);
    await parts.say({ document: flunder("two"), etag: '"2"' });
    await expect.poll(() => shown(parts), patient).toBe("two");
    expect((await parts.swagger()).etag).not.toBe(etag);
  });

  test("stays while the server does not respond, and goes with the APIService", async () => {
    const parts = withFunction({ document: flunder("one") });
    await parts.register();
    await expect.poll(() => shown(parts), patient).toBe("one");
    await parts.say({ status: 500 });
    await parts.say({ document: "no document" });
    expect(await shown(parts)).toBe("one");
    await parts.say({ status: 404 });
    await expect.poll(() => shown(parts), patient).toBeUndefined();
    await parts.say({ document: flunder("two") });
    await expect.poll(() => shown(parts), patient).toBe("two");
    await parts.ask("DELETE", `${apiServices}/v1alpha1.${group}`);
    await expect.poll(() => shown(parts), patient).toBeUndefined();
  });

  test("is in the protobuf form too", async () => {
    const parts = withFunction({ document: flunder("a word that is nowhere else") });
    await parts.register();
    await expect.poll(() => shown(parts), patient).toBeDefined();
    const { body } = await parts.server.transport()({
      method: "GET",
      path: "/openapi/v2",
      headers: { accept: "application/com.github.proto-openapi.spec.v2@v1.0+protobuf" },
    });
    expect(body.kind === "bytes" && Buffer.from(body.bytes).includes("a word that is nowhere else")).toBe(
      true,
    );
  });
});
