// Run in a process of its own by the memory gate: fills a cache from bytes, passes many events through it, and prints what
// is left on the heap each time. Nothing but the heap is measured, so that a busy machine changes nothing.
import { type KubeObject, type ResourceDescriptor, systemClock, type Transport } from "@kubewright/api";
import { Client } from "@kubewright/client";
import { Informer } from "@kubewright/runtime";

const resource: ResourceDescriptor<KubeObject> = {
  group: "test.example.com",
  version: "v1",
  kind: "Widget",
  plural: "widgets",
  singular: "widget",
  scope: "Namespaced",
  shortNames: [],
  categories: [],
  verbs: [],
  subresources: [],
};

/** Some of it the same for all, some for a few, some for none: 1.5 KB with its managedFields. */
function widget(index: number, version: number): string {
  const owned = {
    "f:labels": { ".": {}, "f:app": {}, "f:tier": {} },
    "f:annotations": { ".": {}, "f:checksum": {} },
  };
  const container = (name: string) => ({
    name,
    image: `registry.example.com/team-${index % 7}/${name}:1.${index % 20}`,
    resources: {
      requests: { cpu: "100m", memory: "128Mi" },
      limits: { memory: `${(index % 8) * 64 + 128}Mi` },
    },
    ports: [{ name: "http", containerPort: 8080, protocol: "TCP" }],
  });
  return JSON.stringify({
    apiVersion: "test.example.com/v1",
    kind: "Widget",
    metadata: {
      annotations: {
        "example.com/description":
          "A widget as any other, made for the sake of those who want to know its weight",
        checksum: String(index * 2654435761).padStart(64, "0"),
      },
      creationTimestamp: "2026-01-01T00:00:00Z",
      generation: version,
      labels: { app: "widget", tier: `tier-${index % 5}`, instance: `widget-${index}` },
      managedFields: [
        {
          manager: "someone",
          operation: "Update",
          apiVersion: "v1",
          time: "2026-01-01T00:00:00Z",
          fieldsType: "FieldsV1",
          fieldsV1: {
            "f:metadata": owned,
            "f:spec": { ".": {}, "f:containers": {}, "f:size": {}, "f:owner": {} },
          },
        },
      ],
      name: `widget-${index}`,
      namespace: "default",
      resourceVersion: String(1_000_000 + version),
      uid: `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`,
    },
    spec: {
      size: version,
      owner: `user-${index % 50}@example.com`,
      containers: ["main", "proxy", "metrics"].map(container),
    },
  });
}

/** A server that streams so many objects, then what is fed to it. */
function feedingServer(count: number) {
  let version = count;
  let wake: (() => void) | undefined;
  const chunks: string[] = [];
  let isOver = false;
  const bookmark = (annotations: object) =>
    `{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"${1_000_000 + version}","annotations":${JSON.stringify(annotations)}}}}\n`;
  async function* body(initial: boolean): AsyncGenerator<Uint8Array> {
    for (let index = 0; initial && index < count; index += 100) {
      let text = "";
      for (let at = index; at < Math.min(count, index + 100); at++)
        text += `{"type":"ADDED","object":${widget(at, at)}}\n`;
      yield Buffer.from(text);
    }
    if (initial) yield Buffer.from(bookmark({ "k8s.io/initial-events-end": "true" }));
    while (!isOver) {
      const text = chunks.shift();
      if (text) yield Buffer.from(text);
      else await new Promise<void>((resolve) => (wake = resolve));
    }
    isOver = false;
  }
  const transport: Transport = async ({ query, signal }) => {
    signal?.addEventListener("abort", () => endWatch(), { once: true });
    const chunksOf = body(query?.get("sendInitialEvents") === "true");
    return { status: 200, headers: {}, body: { kind: "stream", chunks: chunksOf } };
  };
  const endWatch = (): void => {
    isOver = true;
    wake?.();
  };
  const send = (text: string): void => {
    chunks.push(text);
    wake?.();
  };
  return {
    transport,
    endWatch,
    /** Changes objects in turn. */
    change(events: number): void {
      let text = "";
      for (let event = 0; event < events; event++)
        text += `{"type":"MODIFIED","object":${widget(version % count, ++version)}}\n`;
      send(text);
    },
    get version() {
      return String(1_000_000 + version);
    },
  };
}

/** What is on the heap when nothing is in the way of collecting it. */
async function heap(): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, 20));
  for (let round = 0; round < 3; round++) globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

/** Bytes for one object when synced, after the first events, and after all of them. */
export interface Weights {
  readonly objectSize: number;
  readonly synced: number;
  readonly settled: number;
  readonly after: number;
  readonly events: number;
}

async function weigh(count: number, events: number): Promise<Weights> {
  const server = feedingServer(count);
  const client = new Client({ transport: server.transport });
  const informer = new Informer({ client, resource, clock: systemClock });
  let seen = "";
  informer.onChange(({ current }) => {
    seen = current?.metadata?.resourceVersion ?? seen;
  });
  const pass = async (left: number): Promise<void> => {
    for (; left > 0; left -= 1_000) {
      server.change(1_000);
      while (seen !== server.version) await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const before = await heap();
  informer.start();
  await informer.synced();
  const each = async () => ((await heap()) - before) / count;
  const synced = await each();
  // Equal parts that arrive at different times are not always found to be equal, so that it settles a little higher.
  await pass(Math.min(events, 4 * count));
  const settled = await each();
  await pass(events);
  const after = await each();
  await informer.close();
  return { objectSize: widget(1, 1).length, synced, settled, after, events };
}

const [count, events] = process.argv.slice(2).map(Number);
console.log(JSON.stringify(await weigh(count ?? 5_000, events ?? 200_000)));
