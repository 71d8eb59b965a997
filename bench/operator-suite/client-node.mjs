// The informer of the official client. It has no queue and no reconcile: what is measured is its events.
import {
  CoreV1Api,
  CustomObjectsApi,
  KubeConfig,
  makeInformer,
  setHeaderOptions,
} from "@kubernetes/client-node";
import { follow } from "./follower.mjs";
import { many } from "./many.mjs";

const { kubeconfig } = JSON.parse(process.env.BENCH);
const namespace = "default";
const config = new KubeConfig();
config.loadFromString(kubeconfig);
const api = config.makeApiClient(CustomObjectsApi);
const core = config.makeApiClient(CoreV1Api);
const kind = { group: "bench.example.com", version: "v1", plural: "widgets" };
const mergePatch = setHeaderOptions("Content-Type", "application/merge-patch+json");
let informer = makeInformer(config, "/apis/bench.example.com/v1/widgets", () =>
  api.listCustomObjectForAllNamespaces(kind),
);

await follow({
  async sync(onUpdate) {
    informer.on("update", ({ metadata }) => onUpdate(metadata.resourceVersion));
    await informer.start();
  },
  count: () => informer.list().length,
  patch: (index, body) =>
    api.patchNamespacedCustomObject({ ...kind, namespace, name: `w-${index}`, body }, mergePatch),
  children: (count) =>
    many(count, 8, (index) =>
      core.createNamespacedConfigMap({
        namespace,
        body: { metadata: { name: `${process.pid}-${index}` }, data: { name: `w-${index}` } },
      }),
    ),
  async drop() {
    await informer.stop();
    informer = undefined;
  },
});
