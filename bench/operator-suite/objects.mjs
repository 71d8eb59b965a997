// What the benchmark's server holds: custom resources of 1.5 KB as they are served, and how they are made and changed.
import { Agent, request } from "undici";
import { many } from "./many.mjs";

export const kind = {
  group: "bench.example.com",
  version: "v1",
  kind: "Widget",
  plural: "widgets",
  singular: "widget",
};
export const namespace = "default";
const everywhere = "/apis/bench.example.com/v1/widgets";

/** Requests to the server, many at a time, with nothing in between. */
export function caller({ url, ca, token, cert, key }) {
  const dispatcher = new Agent({ connections: 32, pipelining: 1, connect: { ca, cert, key } });
  const authorization = token ? { authorization: `Bearer ${token}` } : {};
  return async (method, path, body, type = "application/json") => {
    const response = await request(url + path, {
      method,
      dispatcher,
      headers: { ...authorization, "content-type": type, accept: "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.body.text();
    if (response.statusCode >= 300) throw new Error(`${method} ${path}: ${response.statusCode} ${text}`);
    return text;
  };
}

/** Defines the kind, and waits until it is served. */
export async function install(call) {
  const schema = {
    type: "object",
    properties: { spec: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
  };
  const names = { plural: kind.plural, singular: kind.singular, kind: kind.kind, listKind: "WidgetList" };
  const versions = [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }];
  await call("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "widgets.bench.example.com" },
    spec: { group: kind.group, scope: "Namespaced", names, versions },
  });
  for (let attempt = 0; attempt < 100; attempt++) {
    if (await call("GET", everywhere).catch(() => undefined)) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error("the custom kind was not served");
}

/** Deletes the kind with its objects. */
export async function uninstall(call) {
  await call(
    "DELETE",
    `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${kind.plural}.${kind.group}`,
  );
}

/** Creates objects from one number to another; returns the size of one as it is served. */
export async function fill(call, from, to) {
  await many(to - from, 16, (index) => call("POST", pathOf(), widget(from + index)));
  return (await call("GET", pathOf(from))).length;
}

/** Changes the first so many objects. */
export async function change(call, count) {
  await many(count, 16, (index) =>
    call(
      "PATCH",
      pathOf(index),
      { spec: { size: Math.floor(Math.random() * 1e9) } },
      "application/merge-patch+json",
    ),
  );
}

/** Changes one object; returns its new version. */
export async function touch(call, index) {
  const patch = { spec: { size: Math.floor(Math.random() * 1e9) } };
  const text = await call("PATCH", pathOf(index), patch, "application/merge-patch+json");
  return JSON.parse(text).metadata.resourceVersion;
}

function pathOf(index) {
  const collection = `/apis/bench.example.com/v1/namespaces/${namespace}/widgets`;
  return index === undefined ? collection : `${collection}/w-${index}`;
}

/** Texts that repeat as those of real objects do: some the same everywhere, some in a few, some in one only. */
function widget(index) {
  const containers = ["main", "proxy", "metrics"].map((name, at) => ({
    name,
    image: `registry.example.com/team-${index % 7}/${name}:1.${index % 20}.${at}`,
    resources: {
      requests: { cpu: "100m", memory: "128Mi" },
      limits: { memory: `${128 + (index % 8) * 64}Mi` },
    },
    ports: [{ name: "http", containerPort: 8080 + at, protocol: "TCP" }],
  }));
  return {
    apiVersion: "bench.example.com/v1",
    kind: "Widget",
    metadata: {
      name: `w-${index}`,
      labels: {
        "app.kubernetes.io/name": "widget",
        "app.kubernetes.io/instance": `w-${index}`,
        tier: "backend",
      },
      annotations: { "example.com/checksum": checksum(index), "example.com/team": `team-${index % 7}` },
    },
    spec: { size: index, schedule: "*/5 * * * *", owner: `user-${index % 50}@example.com`, containers },
  };
}

function checksum(index) {
  const words = Array.from({ length: 8 }, (_, at) => ((index + 1) * 2654435761 * (at + 1)) % 2 ** 32);
  return words.map((word) => word.toString(16).padStart(8, "0")).join("");
}
