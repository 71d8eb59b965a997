import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { WatchEvent } from "@kubewright/api";
import { encodeProtobuf } from "@kubewright/machinery";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TlsServer } from "../listener/fixtures/tls-server.js";
import { type ApiServer, createApiServer } from "../server.js";
import { MemoryStorage, openDurableStorage } from "../storage/index.js";

const big = "9223372036854775807";
const small = "-9223372036854775808";
const widgets = "/apis/example.com/v1/namespaces/default/widgets";
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const administrator = {
  certificate: { commonName: "admin", organizations: ["system:masters"], fingerprint: "" },
};

const integer = { type: "integer", format: "int64" };
const definition = {
  metadata: { name: "widgets.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "widgets", kind: "Widget" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        additionalPrinterColumns: [
          { name: "Count", type: "integer", jsonPath: ".spec.count" },
          { name: "Text", type: "string", jsonPath: ".spec.free" },
        ],
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                properties: {
                  count: { ...integer, "x-kubernetes-validations": [{ rule: "self != 5" }] },
                  least: { ...integer, minimum: 10, multipleOf: 7 },
                  fixed: { ...integer, default: 0 },
                  free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
                  list: {
                    type: "array",
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["id"],
                    items: {
                      type: "object",
                      required: ["id"],
                      properties: { id: integer, note: { type: "string" } },
                    },
                  },
                },
              },
            },
          },
        },
      },
    ],
  },
};

const widget = (name: string, spec = `{"count":${big},"free":{"deep":[${small}]}}`): string =>
  `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"${name}"},"spec":${spec}}`;

describe("integers beyond 2^53", () => {
  let server: ApiServer;
  let tls: TlsServer;
  beforeAll(async () => {
    server = createApiServer({ disableAdmission: ["ServiceAccount"] });
    tls = await TlsServer.start((request) => server.handle(request, administrator));
    const text = JSON.stringify(definition).replace('"default":0', `"default":${big}`);
    expect((await send("POST", definitions, text)).status).toBe(201);
  });
  afterAll(async () => {
    await tls.close();
    server.close();
  });

  const send = async (
    method: string,
    path: string,
    body?: string | Buffer,
    headers: Record<string, string> = {},
  ) => {
    const answer = await tls.call(path, {
      method,
      headers: {
        "content-type": "application/json",
        "content-length": Buffer.byteLength(body ?? ""),
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
    });
    return { status: answer.status, text: String(answer.body) };
  };

  it("are kept exactly by create, get and list", async () => {
    const created = await send("POST", widgets, widget("a"));
    expect(created.status).toBe(201);
    for (const { text } of [created, await send("GET", `${widgets}/a`), await send("GET", widgets)]) {
      expect(text).toContain(`"count":${big}`);
      expect(text).toContain(`"deep":[${small}]`);
      expect(text).toContain(`"fixed":${big}`);
    }
    const pretty = await send("GET", `${widgets}/a?pretty=true`);
    expect(pretty.text).toContain(`"count": ${big}`);
  });

  it("are read from YAML and written as YAML", async () => {
    const yaml = `apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: yaml}\nspec:\n  count: ${big}\n`;
    const made = await send("POST", widgets, yaml, {
      "content-type": "application/yaml",
      accept: "application/yaml",
    });
    expect(made.text).toMatch(new RegExp(`^ {2}count: ${big}$`, "m"));
  });

  it("are kept by an update that sends back what was read", async () => {
    const { text } = await send("POST", widgets, widget("update"));
    const updated = await send("PUT", `${widgets}/update`, text.replace(small, "1"));
    expect(updated.status).toBe(200);
    expect(updated.text).toContain(`"count":${big},"free":{"deep":[1]},"fixed":${big}`);
    const version = (answer: string): unknown => JSON.parse(answer).metadata.resourceVersion;
    const same = await send("PUT", `${widgets}/update`, updated.text);
    expect(version(same.text)).toBe(version(updated.text));
  });

  it.each([
    ["application/merge-patch+json", `{"spec":{"count":${small}}}`],
    [
      "application/json-patch+json",
      `[{"op":"test","path":"/spec/count","value":${big}},{"op":"replace","path":"/spec/count","value":${small}}]`,
    ],
    ["application/apply-patch+yaml", widget("patch", `{"count":${small}}`)],
  ])("are kept by patches of type %s", async (type, patch) => {
    await send("DELETE", `${widgets}/patch`);
    await send("POST", widgets, widget("patch"));
    const patched = await send(
      "PATCH",
      `${widgets}/patch?fieldManager=tester${type.includes("apply") ? "&force=true" : ""}`,
      patch,
      {
        "content-type": type,
      },
    );
    expect(patched.text).toContain(`"count":${small}`);
    expect(patched.text).toContain(`"fixed":${big}`);
  });

  it("are keys of list items", async () => {
    const spec = (note: string) =>
      `{"list":[{"id":${big},"note":"${note}"},{"id":9223372036854775806,"note":"x"}]}`;
    const apply = (note: string, manager: string) =>
      send("PATCH", `${widgets}/keys?fieldManager=${manager}`, widget("keys", spec(note)), {
        "content-type": "application/apply-patch+yaml",
      });
    expect((await apply("a", "one")).status).toBe(201);
    expect((await apply("b", "two")).text).toContain(`conflict with \\"one\\": .spec.list[id=${big}].note`);
    const { text } = await send("GET", `${widgets}/keys`);
    expect(text).toContain(`"k:{\\"id\\":${big}}"`);
    const twice = await send("POST", widgets, widget("twice", `{"list":[{"id":${big}},{"id":${big}}]}`));
    expect(twice.text).toContain(`Duplicate value: {\\"id\\":${big}}`);
  });

  it("are shown in tables", async () => {
    await send("POST", widgets, widget("table"));
    const accept = "application/json;as=Table;v=v1;g=meta.k8s.io";
    const { text } = await send("GET", `${widgets}/table`, undefined, { accept });
    expect(text).toContain(`"cells":["table",${big},"{\\"deep\\":[${small}]}"]`);
  });

  it("are kept in watch events", async () => {
    const watch = await tls.open(`${widgets}?watch=true&fieldSelector=metadata.name%3Dwatched`);
    await send("POST", widgets, widget("watched"));
    for await (const line of watch) {
      expect(String(line)).toContain(`"count":${big}`);
      break;
    }
  });

  it("obey the schema", async () => {
    const refused = async (spec: string) => (await send("POST", widgets, widget("schema", spec))).text;
    expect(await refused('{"count":9223372036854775808}')).toContain("must be of type integer");
    expect(await refused(`{"least":${small}}`)).toContain("should be greater than or equal to 10");
    expect(await refused('{"least":9223372036854775806}')).toContain("should be a multiple of 7");
    expect((await send("POST", widgets, widget("schema", `{"least":${big}}`))).status).toBe(201);
  });

  it("are rounded numbers for clients in the same process", async () => {
    await send("POST", widgets, widget("near"));
    const call = server.transport();
    const query = new URLSearchParams({
      watch: "true",
      resourceVersion: "0",
      fieldSelector: "metadata.name=near",
    });
    const [one, all, watch] = await Promise.all([
      call({ method: "GET", path: `${widgets}/near` }),
      call({ method: "GET", path: widgets }),
      call({ method: "GET", path: widgets, query }),
    ]);
    const found: unknown[] = [one, all].map(({ body }) => (body.kind === "object" ? body.value : undefined));
    if (watch.body.kind === "events") {
      const events: AsyncIterable<WatchEvent<unknown>> = watch.body.events;
      for await (const event of events) {
        found.push(event);
        break;
      }
    }
    expect(found).toHaveLength(3);
    // JSON.stringify throws for bigints.
    for (const value of found) expect(JSON.stringify(value)).toContain(`"count":${Number(big)}`);
    // What such a program patches leaves the others as they are.
    const body = { kind: "object", value: { metadata: { labels: { a: "b" } } } } as const;
    const headers = { "content-type": "application/merge-patch+json" };
    expect((await call({ method: "PATCH", path: `${widgets}/near`, headers, body })).status).toBe(200);
    expect((await send("GET", `${widgets}/near`)).text).toContain(`"count":${big}`);
  });

  it("are kept in built-in kinds, as JSON and as protobuf", async () => {
    const revisions = "/apis/apps/v1/namespaces/default/controllerrevisions";
    const json = `{"metadata":{"name":"json"},"revision":${big},"data":{"big":${big}}}`;
    const made = await send("POST", revisions, json);
    expect(made.text).toContain(`"revision":${big},"data":{"big":${big}}`);
    const gvk = { group: "apps", version: "v1", kind: "ControllerRevision" };
    const data = { metadata: { name: "protobuf" }, revision: BigInt(big), data: { big: BigInt(small) } };
    const bytes = Buffer.from(encodeProtobuf(data, gvk));
    const type = { "content-type": "application/vnd.kubernetes.protobuf" };
    expect((await send("POST", revisions, bytes, type)).text).toContain(`"big":${small}`);
  });

  it("do not prevent deletion", async () => {
    const pods = "/api/v1/namespaces/default/pods";
    const pod = `{"metadata":{"name":"a","finalizers":["example.com/a"]},"spec":{"terminationGracePeriodSeconds":${big},"nodeName":"n","containers":[{"name":"a","image":"a"}]}}`;
    expect((await send("POST", pods, pod)).status).toBe(201);
    expect((await send("DELETE", `${pods}/a`)).status).toBe(200);
    expect((await send("DELETE", `${pods}/a`, `{"gracePeriodSeconds":${big}}`)).status).toBe(200);
  });
});

it("integers beyond 2^53 survive a restart", async () => {
  const directory = mkdtempSync(join(tmpdir(), "big-integers-"));
  const object = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "a", uid: "u" },
    big: BigInt(big),
  };
  try {
    const first = openDurableStorage({ directory });
    first.storage.put("configmaps", "a", object, "absent");
    await first.close();
    const { storage, close } = openDurableStorage({ directory });
    expect(storage.get("configmaps", "a")).toMatchObject({ big: BigInt(big) });
    expect(storage.hasBigIntegers).toBe(true);
    await close();
  } finally {
    rmSync(directory, { recursive: true });
  }
  expect(new MemoryStorage().hasBigIntegers).toBe(false);
});
