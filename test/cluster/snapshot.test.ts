import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  ConfigMap,
  CustomResourceDefinition,
  Deployment,
  Namespace,
  Pod,
  Service,
  VirtualClock,
} from "@kubewright/api";
import { startCluster } from "@kubewright/cluster";
import { defineResource, z } from "@kubewright/schema";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { VirtualCluster, web } from "./virtual-cluster.js";

const namespace = "default";
const bare = { controllers: "none", nodes: 0 } as const;
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "kubewright-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const Widget = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Widget",
  spec: z.object({ size: z.int() }),
});

describe("a snapshot", () => {
  const file = () => join(folder, "state");

  test("keeps everything: uids, versions, managed fields, custom kinds; and the cluster goes on from there", async () => {
    const before: unknown[] = [];
    {
      await using cluster = await VirtualCluster.start();
      await cluster.client.create(CustomResourceDefinition, Widget.crd());
      await cluster.rest();
      await cluster.client.create(Widget, { metadata: { name: "w", namespace }, spec: { size: 1 } });
      await cluster.client.create(Service, {
        metadata: { name: "s", namespace },
        spec: { ports: [{ port: 80 }] },
      });
      await cluster.client.create(Deployment, web());
      await cluster.clock.advance(60_000);
      before.push(await cluster.client.get(Widget, "w", { namespace }));
      before.push(await cluster.client.get(Service, "s", { namespace }));
      before.push(await cluster.client.get(Namespace, "default"));
      cluster.cluster.snapshot(file());
    }
    await using cluster = await VirtualCluster.start({ restore: file() });
    expect(await cluster.client.get(Widget, "w", { namespace })).toEqual(before[0]);
    expect(await cluster.client.get(Service, "s", { namespace })).toEqual(before[1]);
    expect(await cluster.client.get(Namespace, "default")).toEqual(before[2]);
    await cluster.clock.advance(60_000);
    expect((await cluster.deployment("web")).status?.availableReplicas).toBe(3);
    const other = await cluster.client.create(Service, {
      metadata: { name: "other", namespace },
      spec: { ports: [{ port: 80 }] },
    });
    expect(other.spec?.clusterIP).not.toBe((before[1] as Service).spec?.clusterIP);
    expect(Number(other.metadata?.resourceVersion)).toBeGreaterThan(
      Number((before[1] as Service).metadata?.resourceVersion),
    );
    await cluster.client.delete(Deployment, "web", { namespace });
    await cluster.clock.advance(60_000);
    expect((await cluster.client.list(Pod, { namespace })).items).toEqual([]);
  });

  test("a watch from before it is told that its version is too old", async () => {
    const clock = new VirtualClock();
    {
      await using cluster = await startCluster({ ...bare, clock });
      await cluster.client.create(ConfigMap, { metadata: { name: "a", namespace } });
      cluster.snapshot(file());
    }
    await using cluster = await startCluster({ ...bare, clock, restore: file() });
    const watch = cluster.client.watch(ConfigMap, { namespace, resourceVersion: "2" });
    await expect(watch.next()).rejects.toMatchObject({ code: 410 });
  });

  test.each([
    ["a file that is not there", undefined, "cannot be read"],
    ["another file", () => "apiVersion: v1\n", "this is no snapshot of a cluster"],
    ["an empty file", () => "", "this is no snapshot of a cluster"],
    [
      "one cut short",
      (text: string) => text.slice(0, text.length >> 1),
      "damaged or was not written to its end",
    ],
    ["one changed inside", (text: string) => text.replace('"default"', '"defualt"'), "damaged"],
    [
      "one of a newer version",
      (text: string) => text.replace('"version":1', '"version":99'),
      "the snapshot has format 99, and this version of kubewright reads up to 1",
    ],
  ])("%s is refused", async (_, change, message) => {
    {
      await using cluster = await startCluster(bare);
      if (change) {
        cluster.snapshot(file());
        writeFileSync(file(), change(readFileSync(file(), "utf8")));
      }
    }
    await expect(startCluster({ ...bare, restore: file() })).rejects.toThrow(message);
  });
});

describe("a data directory", () => {
  const dataDir = () => join(folder, "data");

  test("keeps the state from one run to the next", async () => {
    {
      await using cluster = await startCluster({ ...bare, dataDir: dataDir() });
      await cluster.client.create(ConfigMap, { metadata: { name: "kept", namespace } });
    }
    await using cluster = await startCluster({ ...bare, dataDir: dataDir() });
    expect((await cluster.client.get(ConfigMap, "kept", { namespace })).metadata?.name).toBe("kept");
  });

  test("has every change by the time it is answered, in virtual time too", async () => {
    const clock = new VirtualClock();
    await using cluster = await startCluster({ ...bare, clock, dataDir: dataDir() });
    await cluster.client.create(ConfigMap, { metadata: { name: "kept", namespace } });
    expect(readFileSync(join(dataDir(), "log-00000001"), "utf8")).toContain('"name":"kept"');
  });

  test("keeps what clients know a cluster by, for its owner only", async () => {
    const config = async (): Promise<string> => {
      await using cluster = await startCluster({ ...bare, dataDir: dataDir() });
      const { kubeconfig } = await cluster.listen();
      return kubeconfig.replace(/server: .*/, "");
    };
    const before = await config();
    expect(await config()).toBe(before);
    expect(statSync(join(dataDir(), "keys.json")).mode & 0o777).toBe(0o600);
    writeFileSync(join(dataDir(), "keys.json"), "{");
    await expect(config()).rejects.toThrow("keys.json is damaged");
  });

  test("begins with a snapshot, once", async () => {
    const file = join(folder, "state");
    {
      await using cluster = await startCluster(bare);
      await cluster.client.create(ConfigMap, { metadata: { name: "restored", namespace } });
      cluster.snapshot(file);
    }
    {
      await using cluster = await startCluster({ ...bare, dataDir: dataDir(), restore: file });
      await cluster.client.get(ConfigMap, "restored", { namespace });
    }
    await expect(startCluster({ ...bare, dataDir: dataDir(), restore: file })).rejects.toThrow(
      "has a state already; choose an empty one",
    );
    await using cluster = await startCluster({ ...bare, dataDir: dataDir() });
    await cluster.client.get(ConfigMap, "restored", { namespace });
  });

  test("two clusters of one process do not share it", async () => {
    await using _first = await startCluster({ ...bare, dataDir: dataDir() });
    await expect(startCluster({ ...bare, dataDir: dataDir() })).rejects.toThrow("is in use");
  });

  test("of a newer version is refused, left as it is, and not kept locked", async () => {
    mkdirSync(dataDir());
    writeFileSync(join(dataDir(), "log-00000001"), "kubewright log 2\n");
    await expect(startCluster({ ...bare, dataDir: dataDir() })).rejects.toThrow("use a newer one");
    expect(readFileSync(join(dataDir(), "log-00000001"), "utf8")).toBe("kubewright log 2\n");
    expect(existsSync(join(dataDir(), "lock"))).toBe(false);
  });
});

describe("manifests", () => {
  const put = (name: string, text: string) => writeFileSync(join(folder, name), text);

  test("of a folder are there from the start: namespaces and definitions before what needs them", async () => {
    mkdirSync(join(folder, "more"));
    put(
      "a-widget.yaml",
      "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w, namespace: shop}\nspec: {size: 3}\n",
    );
    put(
      "more/maps.yml",
      "apiVersion: v1\nkind: ConfigMapList\nitems:\n- {apiVersion: v1, kind: ConfigMap, metadata: {name: one}}\n" +
        "- {apiVersion: v1, kind: ConfigMap, metadata: {name: two, namespace: shop}}\n---\n# nothing\n",
    );
    put("z-definition.json", JSON.stringify(Widget.crd()));
    put("z-namespace.yaml", "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n");
    put("notes.txt", "{");
    await using cluster = await startCluster({ ...bare, manifests: folder });
    expect((await cluster.client.get(Widget, "w", { namespace: "shop" })).spec.size).toBe(3);
    await cluster.client.get(ConfigMap, "one", { namespace: "default" });
    await cluster.client.get(ConfigMap, "two", { namespace: "shop" });
  });

  test.each([
    ["bad.yaml", "a: [", /bad\.yaml, document 1: .*(flow|Flow)/],
    [
      "bad.yaml",
      "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n---\nname: x\n",
      "bad.yaml, document 2: an object with apiVersion and kind is needed",
    ],
    ["bad.yaml", "apiVersion: nope/v1\nkind: Nope\nmetadata: {name: a}\n", /bad\.yaml, document 1: .*Nope/],
    [
      "bad.yaml",
      "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: Not_A_Name}\n",
      /bad\.yaml, document 1: .*Not_A_Name/,
    ],
  ])("%s: %j is refused by file and document", async (name, text, message) => {
    put(name, text);
    await expect(startCluster({ ...bare, manifests: folder })).rejects.toThrow(message);
  });

  test("a folder that is not there is refused", async () => {
    await expect(startCluster({ ...bare, manifests: join(folder, "none") })).rejects.toThrow(
      "there is no such file or folder",
    );
  });
});

test("a port in use is refused", async () => {
  await using cluster = await startCluster(bare);
  const { port } = await cluster.listen();
  await expect(cluster.listen({ port })).rejects.toThrow(`port ${port} of 127.0.0.1 is in use`);
});
