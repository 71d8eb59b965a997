// The operator of docs/guides/workload.md.
import { Deployment, type ObjectOf, Service } from "@kubewright/api";
import { defineController, defineManager } from "@kubewright/runtime";
import {
  containerImage,
  deploymentPart,
  failureStatus,
  keepWorkload,
  servicePart,
  servicePortList,
  serviceSpec,
  watchAutoscalers,
  watchPods,
  workloadColumns,
  workloadStatus,
} from "@kubewright/runtime/workload";
import { defineResource, z } from "@kubewright/schema";

export const Shop = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Shop",
  spec: z.object({
    image: containerImage(),
    replicas: z.int32().min(0).default(1),
    ports: servicePortList().optional(),
  }),
  status: z.object(workloadStatus()),
  columns: workloadColumns,
});
type Shop = ObjectOf<typeof Shop>;

const shopLabel = "example.com/shop"; // on the pods; its value is the name of the Shop

export const shopController = defineController(Shop, {
  owns: [Deployment, Service],
  watches: [watchPods(shopLabel), watchAutoscalers(Deployment)],
  reconcile: (shop, ctx) =>
    keepWorkload(
      ctx,
      shop,
      {
        deployment: deploymentPart(ctx, shop, deploymentFor(shop)),
        service: servicePart(ctx, shop.spec.ports ? serviceFor(shop) : undefined),
      },
      { podLabel: shopLabel },
    ),
  onError: failureStatus,
});

function deploymentFor({ metadata: { name = "" }, spec }: Shop) {
  const labels = { [shopLabel]: name };
  const containers = [{ name: "shop", image: spec.image }];
  return {
    metadata: { name, labels },
    spec: {
      replicas: spec.replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers } },
    },
  };
}

function serviceFor({ metadata: { name = "" }, spec: { ports = [] } }: Shop) {
  const selector = { [shopLabel]: name };
  return { metadata: { name, labels: selector }, spec: serviceSpec({ ports, selector }) };
}

export default defineManager({ name: "shop", controllers: [shopController] });
