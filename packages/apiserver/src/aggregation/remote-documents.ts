// Discovery and OpenAPI documents of aggregated API servers.
import { type GroupVersion, isObject, type TransportRequest, type TransportResponse } from "@kubewright/api";
import { discard, jsonOf } from "./ask-extension.js";

/** Asks the server as the aggregator. */
export type Asking = (request: TransportRequest) => Promise<TransportResponse>;

type Fields = Readonly<Record<string, unknown>>;

const fieldsOf = (value: unknown): Fields => (isObject(value) ? value : {});
const listOf = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.map(fieldsOf) : []);
const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

const aggregatedTypes = ["v2", "v2beta1"]
  .map((version) => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`)
  .join(",");

/** Its resources as aggregated discovery shows them. Throws when it does not say. */
export async function remoteResources(ask: Asking, gv: GroupVersion): Promise<readonly unknown[]> {
  return (await fromAggregated(ask, gv)) ?? (await fromLegacy(ask, gv));
}

async function fromAggregated(ask: Asking, { group, version }: GroupVersion) {
  const path = group === "" ? "/api" : "/apis";
  const answer = await ask({
    method: "GET",
    path,
    headers: { accept: `${aggregatedTypes},application/json` },
  });
  if (answer.status !== 200) {
    await discard(answer);
    return undefined;
  }
  const document = fieldsOf(await jsonOf(answer));
  if (document["kind"] !== "APIGroupDiscoveryList") return undefined;
  const found = listOf(document["items"])
    .filter(({ metadata }) => textOf(fieldsOf(metadata)["name"]) === group)
    .flatMap(({ versions }) => listOf(versions))
    .find((each) => each["version"] === version);
  return found ? listOf(found["resources"]) : undefined;
}

async function fromLegacy(ask: Asking, { group, version }: GroupVersion): Promise<readonly unknown[]> {
  const path = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  const answer = await ask({ method: "GET", path, headers: { accept: "application/json" } });
  const document = fieldsOf(await jsonOf(answer));
  if (answer.status !== 200 || document["kind"] !== "APIResourceList")
    throw new Error(`failed to download discovery for ${path}: status ${answer.status}`);
  return asAggregated(listOf(document["resources"]), { group, version });
}

/** Resources with their subresources inside; those of subresources alone are left out. */
function asAggregated(resources: readonly Fields[], gv: GroupVersion): readonly unknown[] {
  const isMain = ({ name }: Fields): boolean => !textOf(name).includes("/");
  return resources.filter(isMain).map((main) => {
    const prefix = `${textOf(main["name"])}/`;
    const subresources = resources
      .filter(({ name }) => textOf(name).startsWith(prefix))
      .map((each) => ({
        subresource: textOf(each["name"]).slice(prefix.length),
        responseKind: kindOf(each, gv),
        verbs: each["verbs"] ?? [],
      }));
    return {
      resource: main["name"],
      responseKind: kindOf(main, gv),
      scope: main["namespaced"] === true ? "Namespaced" : "Cluster",
      singularResource: textOf(main["singularName"]),
      verbs: main["verbs"] ?? [],
      ...(main["shortNames"] === undefined ? {} : { shortNames: main["shortNames"] }),
      ...(main["categories"] === undefined ? {} : { categories: main["categories"] }),
      ...(subresources.length > 0 ? { subresources } : {}),
    };
  });
}

const kindOf = (resource: Fields, gv: GroupVersion) => ({
  group: textOf(resource["group"]) || gv.group,
  version: textOf(resource["version"]) || gv.version,
  kind: textOf(resource["kind"]),
});

/** The hash of its OpenAPI v3 document; undefined when it has none. */
export async function remoteOpenApiHash(ask: Asking, { group, version }: GroupVersion) {
  const answer = await ask({ method: "GET", path: "/openapi/v3", headers: { accept: "application/json" } });
  if (answer.status !== 200) {
    await discard(answer);
    return undefined;
  }
  const paths = fieldsOf(fieldsOf(await jsonOf(answer))["paths"]);
  const entry = fieldsOf(paths[group === "" ? `api/${version}` : `apis/${group}/${version}`]);
  const url = textOf(entry["serverRelativeURL"]);
  return url === "" ? undefined : (new URLSearchParams(url.split("?")[1] ?? "").get("hash") ?? "");
}
