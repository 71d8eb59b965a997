// A whole operator: a manager with one controller whose reconcile does nothing, until it is told to make children.
import { ConfigMap } from "@kubewright/api";
import { clientFromKubeConfig, loadKubeConfig } from "@kubewright/client";
import { channel, defineController, defineManager, startManager } from "@kubewright/runtime";
import { keepHeapSmall } from "@kubewright/runtime/main";
import { follow } from "./follower.mjs";

// As `runManager` does for every operator in production.
keepHeapSmall();

const { objects, makesChildren } = JSON.parse(process.env.BENCH);
const namespace = "default";
const Widget = {
  group: "bench.example.com",
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
const client = clientFromKubeConfig(await loadKubeConfig({ env: process.env }));
const pokes = channel("pokes");
/** Names in the order of the list, so that keys are made before they are needed. */
const keys = Array.from({ length: objects }, (_, index) => `${namespace}/w-${index}`);

let reconcile = () => undefined;
let onReconcile = () => undefined;
let manager;

/** Children are declared, and eight workers there, only where children are made: the others watch one kind, and so do we. */
const settings = makesChildren ? { owns: [ConfigMap], concurrency: 8 } : {};
const controller = () =>
  defineController(Widget, {
    ...settings,
    sources: [pokes],
    reconcile(widget, ctx) {
      onReconcile(widget);
      return reconcile(widget, ctx);
    },
  });

async function start() {
  const definition = defineManager({ name: "bench", controllers: [controller()] });
  manager = await startManager(definition, { client, preflight: "off", onError: console.error });
}

/** Resolves after so many reconciles. */
function reconciled(count) {
  let left = count;
  return new Promise((resolve) => {
    onReconcile = () => {
      if (--left === 0) resolve();
    };
  });
}

let synced = 0;
let firstDrain = 0;

await follow({
  async sync(onUpdate) {
    const watch = ({ metadata }) => onUpdate(metadata.resourceVersion);
    let left = objects;
    onReconcile = () => {
      if (--left > 0) return;
      firstDrain = performance.now() - synced;
      onReconcile = watch;
    };
    this.watch = watch;
    await start();
    synced = performance.now();
  },
  count: () => objects,
  /** How long the reconciles of everything took that followed the first list; a failure when there were fewer. */
  first: async () => firstDrain,
  patch: (index, merge) => client.patch(Widget, `w-${index}`, { merge }, { namespace }),
  /** Every key at once, to one worker. */
  async drain({ rounds }) {
    const times = [];
    for (let round = 0; round < rounds; round++) {
      const done = reconciled(objects);
      const began = performance.now();
      for (const key of keys) pokes.send(key);
      await done;
      times.push(performance.now() - began);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    onReconcile = this.watch;
    return times;
  },
  async children(count) {
    const wanted = new Set(keys.slice(0, count));
    let finish;
    const done = new Promise((resolve) => {
      finish = resolve;
    });
    reconcile = async ({ metadata: { name } }, ctx) => {
      await ctx.apply(ConfigMap, { metadata: { name: `${process.pid}-${name}` }, data: { name } });
      wanted.delete(`${namespace}/${name}`);
      if (wanted.size === 0) finish();
    };
    for (const key of wanted) pokes.send(key);
    await done;
  },
  async drop() {
    await manager.close();
    manager = undefined;
  },
});
