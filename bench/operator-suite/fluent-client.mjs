// The watch of kubernetes-fluent-client, which Pepr's controllers stand on. Its cache cannot be read: what is counted are
// its callbacks.
import { GenericKind, K8s, kind, RegisterKind, WatchEvent } from "kubernetes-fluent-client";
import { follow } from "./follower.mjs";
import { many } from "./many.mjs";

const { objects } = JSON.parse(process.env.BENCH);
const namespace = "default";

class Widget extends GenericKind {}
RegisterKind(Widget, { group: "bench.example.com", version: "v1", kind: "Widget" });

let seen = 0;
let watcher;

await follow({
  async sync(onUpdate) {
    let onSynced = () => undefined;
    const synced = new Promise((resolve) => {
      onSynced = resolve;
    });
    watcher = K8s(Widget).Watch(({ metadata }, phase) => {
      if (phase === "MODIFIED") onUpdate(metadata.resourceVersion);
      else if (phase === "ADDED" && ++seen === objects) onSynced();
    });
    watcher.events.on(WatchEvent.GIVE_UP, (error) => console.error(error));
    await watcher.start();
    await synced;
  },
  count: () => seen,
  patch: (index, { spec }) =>
    K8s(Widget, { name: `w-${index}`, namespace }).Patch([
      { op: "replace", path: "/spec/size", value: spec.size },
    ]),
  children: (count) =>
    many(count, 8, (index) =>
      K8s(kind.ConfigMap).Apply({
        metadata: { name: `${process.pid}-${index}`, namespace },
        data: { name: `w-${index}` },
      }),
    ),
  async drop() {
    watcher.close();
    watcher = undefined;
  },
});
