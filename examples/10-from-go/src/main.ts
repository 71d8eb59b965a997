// Takes over the objects of an operator written in Go, in place: the same CRD, the same objects, the same pods.
import { Deployment, isConditionTrue } from "@kubewright/api";
import { defineController, defineManager } from "@kubewright/runtime";
import { watchPods } from "@kubewright/runtime/workload";
import { Cache } from "./api/cache.example.com/v1/cache.js"; // written by `kubewright import crd crd.yaml`

const cacheController = defineController(Cache, {
  owns: [Deployment],
  watches: [watchPods("cache")], // pods by their label `cache`, whose value is the name of the object
  async reconcile(cache, ctx) {
    if (!cache.spec) return; // the Go types allowed objects without a spec
    // The same name, labels and pod template as before: the Deployment is taken over, and no pod is restarted.
    await ctx.apply(Deployment, deploymentFor(cache.metadata.name ?? "", cache.spec));
    const ready = ctx.pods().filter((pod) => isConditionTrue(pod.status?.conditions, "Ready"));
    ctx.status({ nodes: ready.map(({ metadata }) => metadata?.name ?? "").toSorted() });
  },
});

function deploymentFor(name: string, { size, port }: NonNullable<Cache["spec"]>) {
  const labels = { app: "cache", cache: name };
  const ports = [{ containerPort: port, name: "memcached" }];
  const containers = [{ name: "memcached", image: "memcached:1.6", ports }];
  return {
    metadata: { name, labels },
    spec: {
      replicas: size,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers } },
    },
  };
}

export default defineManager({ name: "cache", controllers: [cacheController] });
