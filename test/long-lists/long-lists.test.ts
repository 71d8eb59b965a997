// The length of a list decides nothing but what kube-apiserver lets it decide: 64, 65 and 1,000 entries are all stored, a list with a
// limit is stored up to it, and rules that look from one list into another see every entry.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Target } from "../robustness/target.js";
import { items, longLists, many, mounted, pod, pods } from "./lists.js";

let target: Target;
beforeAll(() => {
  target = new Target();
});
afterAll(() => target.close());

interface Answer {
  readonly status: number;
  /** The fields that are to blame, in order. */
  readonly fields: readonly string[];
}

async function create(path: string, object: object): Promise<Answer> {
  const response = await target.send({ method: "POST", path, query: "dryRun=All", object });
  const value = response.body.kind === "object" ? response.body.value : {};
  const { details } = value as { details?: { causes?: { field?: string }[] } };
  return { status: response.status, fields: (details?.causes ?? []).map(({ field }) => field ?? "") };
}

const stored: Answer = { status: 201, fields: [] };

const cases = Object.entries(longLists).flatMap(([kind, lists]) =>
  Object.entries(lists).flatMap(([name, list]) =>
    (list.limit === undefined ? [64, 65, 1_000] : [list.limit]).map(
      (count) => [kind, name, count, list] as const,
    ),
  ),
);

test.each(cases)("%s: %s may have %i entries", async (_kind, _name, count, { collection, object }) => {
  expect(await create(collection, object(count))).toEqual(stored);
});

const limited = Object.entries(longLists).flatMap(([kind, lists]) =>
  Object.entries(lists).flatMap(([name, list]) =>
    list.limit === undefined ? [] : [[kind, name, list.limit + 1, list] as const],
  ),
);

test.each(limited)(
  "%s: %s may not have %i entries",
  async (_kind, _name, count, { collection, object, field }) => {
    const { status, fields } = await create(collection, object(count));
    expect(status).toBe(422);
    expect(fields).toContain(field);
  },
);

describe.each([64, 65, 1_000])("with %i entries", (count) => {
  test("Pod: a mount finds its volume, whose items are many", async () => {
    expect(await create(pods, pod(mounted({ configMap: { name: "c", items: items(count) } })))).toEqual(
      stored,
    );
  });

  test("Pod: a volume with one bad item of many is blamed for the item, and its mount for the volume", async () => {
    const bad = [...items(count - 1), { key: "k", path: "../up" }];
    expect(await create(pods, pod(mounted({ configMap: { name: "c", items: bad } })))).toEqual({
      status: 422,
      fields: [
        `spec.volumes[0].configMap.items[${count - 1}].path`,
        "spec.containers[0].volumeMounts[0].name",
      ],
    });
  });

  test("Pod: a duplicate host port is blamed on the later container", async () => {
    const ports = many(count, (index) => ({ containerPort: 1000 + index, hostPort: 1000 + index }));
    const containers = [
      { name: "a", image: "i", ports },
      { name: "b", image: "i", ports: [{ containerPort: 1000, hostPort: 1000 }] },
    ];
    expect(await create(pods, pod({ containers }))).toEqual({
      status: 422,
      fields: ["spec.containers[1].ports[0].hostPort"],
    });
  });

  test("Pod: a duplicate mount path is blamed on the last of many", async () => {
    const volumeMounts = [
      ...many(count - 1, (index) => ({ name: "v", mountPath: `/v${index}` })),
      { name: "v", mountPath: "/v0" },
    ];
    const spec = {
      containers: [{ name: "a", image: "i", volumeMounts }],
      volumes: [{ name: "v", emptyDir: {} }],
    };
    expect(await create(pods, pod(spec))).toEqual({
      status: 422,
      fields: [`spec.containers[0].volumeMounts[${count - 1}].mountPath`],
    });
  });

  test("Pod: a name used by an init container is a duplicate among many containers", async () => {
    const containers = many(count, (index) => ({ name: `c${index}`, image: "i" }));
    const initContainers = [{ name: `c${count - 1}`, image: "i" }];
    expect(await create(pods, pod({ containers, initContainers }))).toEqual({
      status: 422,
      fields: ["spec.initContainers[0].name"],
    });
  });

  test("Pod: a mount of a volume that is not among many is not found", async () => {
    const volumes = many(count, (index) => ({ name: `v${index}`, emptyDir: {} }));
    const containers = [{ name: "a", image: "i", volumeMounts: [{ name: "w", mountPath: "/w" }] }];
    expect(await create(pods, pod({ containers, volumes }))).toEqual({
      status: 422,
      fields: ["spec.containers[0].volumeMounts[0].name"],
    });
  });

  test("Service: a duplicate name is blamed on the last of many ports", async () => {
    const ports = [
      ...many(count - 1, (index) => ({ name: `p${index}`, port: 1000 + index })),
      { name: "p0", port: 9 },
    ];
    const service = { apiVersion: "v1", kind: "Service", metadata: { name: "long" }, spec: { ports } };
    expect(await create("/api/v1/namespaces/default/services", service)).toEqual({
      status: 422,
      fields: [`spec.ports[${count - 1}].name`],
    });
  });
});
