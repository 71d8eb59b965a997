// Every way to do something: requests, and the permission each of them takes.
import { deployment, type Method, type Sent, widget } from "./guarded-server.js";

/** What a request asks to be allowed. */
export interface Permission {
  readonly verb: string;
  readonly group: string;
  /** With the subresource, where there is one. */
  readonly resource: string;
  /** Empty for requests about collections. */
  readonly name: string;
}

export interface WayIn {
  readonly request: Sent;
  readonly needs: readonly Permission[];
}

interface Kind {
  readonly group: string;
  readonly resource: string;
  /** Where its objects are; one is called `x`. */
  readonly base: string;
  /** The same below `watch/`. */
  readonly watch: string;
  readonly body: (name: string) => object;
}

const core = "/api/v1/namespaces/default";
const kind = (group: string, resource: string, body: Kind["body"]): Kind => {
  const root = group === "" ? "/api/v1" : `/apis/${group}/v1`;
  const rest = `namespaces/default/${resource}`;
  return { group, resource, base: `${root}/${rest}`, watch: `${root}/watch/${rest}`, body };
};

const kinds: readonly Kind[] = [
  kind("", "secrets", (name) => ({ apiVersion: "v1", kind: "Secret", metadata: { name } })),
  kind("apps", "deployments", deployment),
  kind("example.com", "widgets", widget),
];

const patchTypes = [
  ["application/json-patch+json", [{ op: "add", path: "/metadata/labels", value: { a: "b" } }]],
  ["application/merge-patch+json", { metadata: { labels: { a: "b" } } }],
  ["application/strategic-merge-patch+json", { metadata: { labels: { a: "b" } } }],
] as const;
const applyType = "application/apply-patch+yaml";

function* waysOf({ group, resource, base, watch, body }: Kind): Iterable<WayIn> {
  const way = (method: Method, url: string, verb: string, name: string, more: Partial<Sent> = {}): WayIn => ({
    request: { method, url, ...more },
    needs: [{ verb, group, resource, name }],
  });
  yield way("GET", base, "list", "");
  yield way("HEAD", base, "list", "");
  for (const query of ["watch=1", "watch=true", "watch", "watch=yes&limit=1", "watch=true&watch=false"])
    yield way("GET", `${base}?${query}`, "watch", "");
  for (const query of ["watch=0", "watch=false", "watch=false&watch=1", "Watch=1"])
    yield way("GET", `${base}?${query}`, "list", "");
  for (const selector of [
    "metadata.name=x",
    "metadata.name%3Dx",
    "metadata.name==x",
    "metadata.name=x,metadata.namespace=default",
  ]) {
    yield way("GET", `${base}?fieldSelector=${selector}`, "list", "x");
    yield way("GET", `${base}?watch=1&fieldSelector=${selector}`, "watch", "x");
  }
  for (const selector of ["metadata.name!=y", "metadata.namespace=default"])
    yield way("GET", `${base}?fieldSelector=${selector}`, "list", "");
  yield way("GET", watch, "watch", "");
  yield way("GET", `${watch}/x`, "watch", "x");
  yield way("GET", `${base}/x`, "get", "x");
  yield way("GET", `${base}/x?watch=1`, "get", "x");
  yield way("HEAD", `${base}/x`, "get", "x");
  for (const dryRun of ["", "?dryRun=All"]) {
    yield way("POST", `${base}${dryRun}`, "create", "", { body: body("new") });
    yield way("PUT", `${base}/x${dryRun}`, "update", "x", { body: body("x") });
    for (const [type, patch] of patchTypes)
      yield way("PATCH", `${base}/x${dryRun}`, "patch", "x", {
        body: patch,
        headers: { "content-type": type },
      });
    const query = dryRun === "" ? "?fieldManager=m&force=true" : `${dryRun}&fieldManager=m&force=true`;
    const applied = { headers: { "content-type": applyType } };
    yield way("PATCH", `${base}/x${query}`, "patch", "x", { body: body("x"), ...applied });
    const name = dryRun === "" ? "applied" : "never-applied";
    yield {
      request: { method: "PATCH", url: `${base}/${name}${query}`, body: body(name), ...applied },
      needs: [
        { verb: "patch", group, resource, name },
        { verb: "create", group, resource, name },
      ],
    };
    yield way("DELETE", `${base}/x${dryRun === "" ? "?dryRun=All" : dryRun}`, "delete", "x");
    yield way("DELETE", `${base}?dryRun=All`, "deletecollection", "");
  }
  yield way("DELETE", `${base}?dryRun=All&fieldSelector=metadata.name=x`, "deletecollection", "");
}

const methods: readonly (readonly [Method, string])[] = [
  ["GET", "get"],
  ["PUT", "update"],
  ["PATCH", "patch"],
];

function* faces({ group, resource, base, body }: Kind, subresources: readonly string[]): Iterable<WayIn> {
  for (const subresource of subresources)
    for (const [method, verb] of methods)
      yield {
        request: {
          method,
          url: `${base}/x/${subresource}?dryRun=All`,
          ...(method === "PUT" ? { body: subresource === "scale" ? scale : body("x") } : {}),
          ...(method === "PATCH"
            ? {
                body: { metadata: { labels: { a: "b" } } },
                headers: { "content-type": "application/merge-patch+json" },
              }
            : {}),
        },
        needs: [{ verb, group, resource: `${resource}/${subresource}`, name: "x" }],
      };
}

const scale = { apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name: "x" }, spec: { replicas: 1 } };

const merged = { metadata: { labels: { a: "b" } } };
const finalized = { kind: "Namespace", apiVersion: "v1", metadata: { name: "default" }, spec: {} };

const actions: readonly (readonly [Method, string, string, string, (object | undefined)?, string?])[] = [
  ["GET", "pods/x/log", "get", "pods/log"],
  ["POST", "pods/x/eviction?dryRun=All", "create", "pods/eviction", { metadata: { name: "x" } }],
  ["POST", "pods/x/binding?dryRun=All", "create", "pods/binding", { target: { kind: "Node", name: "node" } }],
  ["POST", "serviceaccounts/x/token", "create", "serviceaccounts/token", { spec: {} }],
  ["POST", "pods/x/exec?command=a", "create", "pods/exec"],
  ["POST", "pods/x/attach", "create", "pods/attach"],
  ["POST", "pods/x/portforward?ports=1", "create", "pods/portforward"],
  ["GET", "pods/x/proxy", "get", "pods/proxy"],
  ["GET", "pods/x/proxy/a/b", "get", "pods/proxy"],
  ["POST", "pods/x/proxy", "create", "pods/proxy"],
  ["PUT", "pods/x/proxy/a", "update", "pods/proxy"],
  ["PATCH", "pods/x/proxy/a", "patch", "pods/proxy"],
  ["DELETE", "pods/x/proxy", "delete", "pods/proxy"],
  ["GET", "services/x/proxy/a", "get", "services/proxy"],
  ["GET", "pods/x/ephemeralcontainers", "get", "pods/ephemeralcontainers"],
  ["GET", "pods/x/resize", "get", "pods/resize"],
  ["PATCH", "pods/x/ephemeralcontainers?dryRun=All", "patch", "pods/ephemeralcontainers", merged],
  ["PATCH", "pods/x/resize?dryRun=All", "patch", "pods/resize", merged],
  ["PATCH", "pods/x/status?dryRun=All", "patch", "pods/status", merged],
  ["POST", "bindings?dryRun=All", "create", "bindings", { target: { kind: "Node", name: "node" } }, ""],
  ["POST", "services/x/proxy/a", "create", "services/proxy"],
  // The scheme and the port belong to the name, also for those whose role names names.
  ["GET", "services/https:x:80/proxy/a", "get", "services/proxy", undefined, "https:x:80"],
  ["GET", "pods/http:x:80/proxy/", "get", "pods/proxy", undefined, "http:x:80"],
  ["GET", "", "get", "namespaces", undefined, "default"],
  ["GET", "status", "get", "namespaces/status", undefined, "default"],
  ["PUT", "finalize?dryRun=All", "update", "namespaces/finalize", finalized, "default"],
];

function* actionWays(): Iterable<WayIn> {
  for (const [method, path, verb, resource, body, name = "x"] of actions)
    yield {
      request: {
        method,
        url: path === "" ? core : `${core}/${path}`,
        body,
        ...(method === "PATCH" ? { headers: { "content-type": "application/merge-patch+json" } } : {}),
      },
      needs: [{ verb, group: "", resource, name }],
    };
  // Running something in a pod is more than reading, whatever the method says.
  for (const action of ["exec?command=a", "attach", "portforward?ports=1"])
    yield {
      request: {
        method: "GET",
        url: `${core}/pods/x/${action}`,
        headers: { upgrade: "websocket", connection: "Upgrade" },
      },
      needs: ["get", "create"].map((verb) => ({
        verb,
        group: "",
        resource: `pods/${action.split("?", 1)[0]}`,
        name: "x",
      })),
    };
}

/** All ways in. */
export const waysIn: readonly WayIn[] = [
  ...kinds.flatMap((each) => [...waysOf(each)]),
  ...kinds.slice(1).flatMap((each) => [...faces(each, ["status", "scale"])]),
  ...actionWays(),
];

/** A request that asks for the same in other letters. */
export function* spellings({ url }: Sent): Iterable<string> {
  const [path = "", query] = url.split(/\?(.*)/s, 2);
  const rest = query === undefined ? "" : `?${query}`;
  const last = path.lastIndexOf("/");
  yield `${path}/${rest}`;
  yield `${path}//${rest}`;
  yield `/${path}${rest}`;
  yield `${path.slice(0, last)}%2f${path.slice(last + 1)}${rest}`;
  yield `${path.slice(0, last)}%2F${path.slice(last + 1)}${rest}`;
  yield `${path.slice(0, -1)}${encoded(path.slice(-1))}${rest}`;
  yield `/${[...path.slice(1)].map((letter) => (letter === "/" ? letter : encoded(letter))).join("")}${rest}`;
}

const encoded = (letter: string): string => `%${letter.charCodeAt(0).toString(16)}`;
