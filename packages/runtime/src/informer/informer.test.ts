import { ConfigMap, type KubeObject, systemClock, VirtualClock } from "@kubewright/api";
import { Client, metadataOnly } from "@kubewright/client";
import { describe, expect, onTestFinished, test } from "vitest";
import { FakeServer } from "./fixtures/fake-server.js";
import { Informer, type InformerOptions } from "./informer.js";

async function started(
  options: Partial<InformerOptions<ConfigMap>> = {},
  fill?: (server: FakeServer) => void,
) {
  const server = new FakeServer();
  fill?.(server);
  const clock = new VirtualClock();
  const errors: unknown[] = [];
  const informer = new Informer<ConfigMap>({
    client: new Client({ transport: server.transport, clock }),
    resource: ConfigMap,
    clock,
    random: () => 0.5,
    onError: (error) => errors.push(error),
    ...options,
  });
  onTestFinished(() => informer.close());
  informer.start();
  await clock.settle();
  return { server, clock, informer, errors };
}

const messages = (errors: readonly unknown[]) =>
  errors.map((error) => (error instanceof Error ? error.message : error));

describe("informer listeners", () => {
  test("receive the cached objects first, then every change, each once", async () => {
    const { server, clock, informer } = await started({}, (fake) => fake.put("a"));
    const received: string[] = [];
    const listen = (name: string) =>
      informer.onChange(({ key, previous, current, initial }) =>
        received.push(`${name} ${previous ? 1 : 0}${current ? 1 : 0} ${key}${initial ? " initial" : ""}`),
      );
    const stop = listen("first");
    server.put("b");
    // The change of b is in the cache but not delivered yet when the second one comes.
    await new Promise<void>((resolve) => queueMicrotask(resolve));
    while (informer.store.size < 2) await Promise.resolve();
    listen("second");
    await clock.settle();
    expect(received).toEqual([
      "first 01 default/a initial",
      "first 01 default/b",
      "second 01 default/a initial",
      "second 01 default/b initial",
    ]);
    stop();
    received.length = 0;
    server.remove("a");
    await clock.settle();
    expect(received).toEqual(["second 10 default/a"]);
  });

  test("that throw are reported and do not disturb the others", async () => {
    const { server, clock, informer, errors } = await started();
    const received: string[] = [];
    informer.onChange(() => {
      throw new Error("bad listener");
    });
    informer.onChange(({ key }) => received.push(key));
    server.put("a");
    await clock.settle();
    expect(received).toEqual(["default/a"]);
    expect(messages(errors)).toEqual(["bad listener"]);
  });

  test("that come and go while a change is delivered do not receive it twice, or after they left", async () => {
    const { server, clock, informer } = await started();
    const received: string[] = [];
    let stopLater = (): void => undefined;
    informer.onChange(({ key }) => {
      if (received.length > 0) return;
      received.push(`outer ${key}`);
      informer.onChange((change) => received.push(`inner ${change.key}`));
      stopLater();
    });
    stopLater = informer.onChange(({ key }) => received.push(`later ${key}`));
    server.put("a");
    await clock.settle();
    expect(received).toEqual(["outer default/a", "inner default/a"]);
  });
});

describe("an object that cannot be cached", () => {
  const picky = (object: ConfigMap): ConfigMap => {
    if (object.data?.["bad"]) throw new TypeError("cannot read data");
    return object;
  };

  test("is set aside, reported once for each reason, counted, and the watch goes on", async () => {
    const { server, clock, informer, errors } = await started({ transform: picky }, (fake) => {
      fake.put("good");
      fake.put("poison", { data: { bad: "1" } });
    });
    expect(informer.hasSynced).toBe(true);
    server.put("poison", { data: { bad: "2" } });
    server.put("later");
    await clock.settle();
    expect([...informer.store.keys()]).toEqual(["default/good", "default/later"]);
    expect(informer.setAside.count).toBe(2);
    expect(informer.setAside.objects).toMatchObject([{ key: "default/poison", resourceVersion: "103" }]);
    expect(messages(errors)).toEqual([
      "ConfigMap default/poison is set aside: its transform failed: cannot read data",
    ]);
    server.put("poison", { data: {} });
    await clock.settle();
    expect(informer.store.get("default/poison")).toBeDefined();
    expect(informer.setAside.objects).toEqual([]);
    expect(server.requests).toEqual(["stream"]);
  });

  test("keeps its last good state, also over a relist, until it is deleted", async () => {
    const { server, clock, informer } = await started({ transform: picky }, (fake) => fake.put("a"));
    const relist = async () => {
      server.compact();
      server.put("other");
      server.compact();
      server.disconnect();
      await clock.advance(5_000);
    };
    server.put("a", { data: { bad: "1" } });
    await relist();
    expect(informer.store.get("default/a")?.metadata?.resourceVersion).toBe("101");
    server.remove("a");
    await relist();
    expect(informer.store.get("default/a")).toBeUndefined();
    expect(informer.setAside.objects).toEqual([]);
  });

  test("takes the place of the object of its name before it", async () => {
    const { server, clock, informer } = await started({ transform: picky }, (fake) => fake.put("a"));
    server.remove("a");
    server.put("a", { data: { bad: "1" } });
    await clock.settle();
    expect(informer.store.size).toBe(0);
  });

  const garbage: [string, unknown][] = [
    ["nothing", null],
    ["a text", "object"],
    ["a list", []],
    ["no metadata", {}],
    ["no name", { metadata: { resourceVersion: "1" } }],
    ["no version", { metadata: { name: "a" } }],
    ["a number for a name", { metadata: { name: 1, resourceVersion: "1" } }],
    ["a list for a namespace", { metadata: { name: "a", namespace: [], resourceVersion: "1" } }],
    ["text for managedFields", { metadata: { name: "a", resourceVersion: "1", managedFields: "x" } }],
  ];
  test.each(garbage)("may be %s", async (_what, object) => {
    const { server, clock, informer, errors } = await started();
    for (const type of ["ADDED", "MODIFIED", "DELETED", "BOOKMARK"]) server.send({ type, object });
    server.put("a");
    await clock.settle();
    expect(informer.store.size).toBe(1);
    expect(informer.setAside.count).toBe(2);
    expect(messages(errors)[0]).toContain("is set aside: ");
    expect(server.requests).toEqual(["stream"]);
  });

  test("because its transform changes its identity is set aside", async () => {
    const { informer, errors } = await started(
      { transform: (object) => ({ ...object, metadata: { ...object.metadata, uid: "another" } }) },
      (fake) => fake.put("a"),
    );
    expect(informer.store.size).toBe(0);
    expect(messages(errors)[0]).toContain("its transform changed name, namespace, uid or resourceVersion");
  });
});

describe("the cached object of an informer", () => {
  const managedFields = [
    { manager: "ours", operation: "Apply", apiVersion: "v1", fieldsV1: { "f:data": { "f:x": {} } } },
    { manager: "other", operation: "Update", apiVersion: "v1", fieldsV1: { "f:data": {} } },
  ];
  const fill = (fake: FakeServer): void => {
    fake.put("a", { metadata: { managedFields }, data: { x: "1" } });
  };

  test("lacks managedFields, but what we own is known", async () => {
    const { informer } = await started({ fieldManager: "ours" }, fill);
    const [object] = informer.store.values();
    expect(object?.metadata?.managedFields).toBeUndefined();
    expect(object && informer.ownFields(object)).toEqual([
      { apiVersion: "v1", subresource: "", fields: { "f:data": { "f:x": {} } } },
    ]);
  });

  test("has managedFields when asked for", async () => {
    const { informer } = await started({ keepManagedFields: true }, fill);
    expect([...informer.store.values()][0]?.metadata?.managedFields).toEqual(managedFields);
  });

  test("is transformed", async () => {
    const { informer } = await started({ transform: ({ data: _data, ...rest }) => rest }, fill);
    expect([...informer.store.values()][0]).not.toHaveProperty("data");
  });

  test("is frozen when asked for, so that a mutation throws", async () => {
    const { informer } = await started({ freeze: true }, fill);
    const object = informer.store.get("default/a") as { data: Record<string, string> };
    expect(() => {
      object.data["x"] = "2";
    }).toThrow(TypeError);
  });

  test("has no managedFields, and a frozen object from the server is left as it is", async () => {
    const { informer, server } = await started({}, (fake) => fake.put("a"));
    const sent = Object.freeze({
      metadata: Object.freeze({
        name: "b",
        namespace: "default",
        uid: "b",
        resourceVersion: "200",
        managedFields,
      }),
    });
    server.send({ type: "ADDED", object: sent });
    while (informer.store.size < 2) await Promise.resolve();
    expect(sent.metadata.managedFields).toBe(managedFields);
    expect(informer.store.get("default/b")?.metadata?.managedFields).toBeUndefined();
  });

  test("is metadata alone for a metadata-only descriptor", async () => {
    const server = new FakeServer();
    server.put("a", { data: { x: "1" } });
    const clock = new VirtualClock();
    await using informer = new Informer({
      client: new Client({ transport: server.transport, clock }),
      resource: metadataOnly(ConfigMap),
      clock,
    });
    informer.start();
    await clock.settle();
    expect(Object.keys(informer.store.get("default/a") ?? {})).toEqual(["apiVersion", "kind", "metadata"]);
  });
});

describe("an informer of several namespaces", () => {
  test("watches them one by one into one store", async () => {
    const { server, clock, informer } = await started({ namespaces: ["shop", "lab"] }, (fake) => {
      fake.put("a", {}, "shop");
      fake.put("a", {}, "lab");
      fake.put("a", {}, "secret");
    });
    expect([...informer.store.keys()].sort()).toEqual(["lab/a", "shop/a"]);
    expect(server.watches.size).toBe(2);
    server.remove("a", "shop");
    server.put("b", {}, "lab");
    await clock.settle();
    expect([...informer.store.keys()].sort()).toEqual(["lab/a", "lab/b"]);
  });

  test("replaces the objects of a namespace by its own list only", async () => {
    const { server, clock, informer } = await started({ namespaces: ["shop", "lab"] }, (fake) => {
      fake.put("a", {}, "shop");
      fake.put("a", {}, "lab");
    });
    await clock.advance(10_000);
    server.disconnect();
    server.remove("a", "shop");
    server.compact();
    await clock.advance(5_000);
    expect([...informer.store.keys()]).toEqual(["lab/a"]);
    expect(informer.states).toHaveLength(2);
  });

  test("is synced when all of them are", async () => {
    const server = new FakeServer();
    const clock = new VirtualClock();
    server.fault = ({ path }) => (path.includes("/lab/") ? Promise.reject(new Error("not yet")) : undefined);
    await using informer = new Informer<KubeObject>({
      client: new Client({ transport: server.transport, clock }),
      resource: ConfigMap,
      clock,
      namespaces: ["shop", "lab"],
    });
    informer.start();
    let isSynced = false;
    const synced = informer.synced().then(() => {
      isSynced = true;
    });
    await clock.advance(1_000);
    expect(isSynced).toBe(false);
    server.fault = undefined;
    await clock.advance(10_000);
    await synced;
  });
});

test("waiting for the first list of an informer can be aborted", async () => {
  const server = new FakeServer();
  server.fault = () => Promise.reject(new Error("not yet"));
  const client = new Client({ transport: server.transport });
  await using informer = new Informer({ client, resource: ConfigMap, clock: systemClock });
  informer.start();
  const controller = new AbortController();
  const synced = informer.synced(controller.signal);
  controller.abort(new Error("no longer needed"));
  await expect(synced).rejects.toThrow("no longer needed");
});
