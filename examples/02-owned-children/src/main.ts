// One object, three children: declared on every reconcile, put back when they are deleted or edited, collected with their owner.
import { ConfigMap, Deployment, type ObjectOf, Service } from "@kubewright/api";
import { defineController, defineManager } from "@kubewright/runtime";
import { defineResource, z } from "@kubewright/schema";

export const Website = defineResource({
  group: "examples.kubewright.dev",
  version: "v1",
  kind: "Website",
  spec: z.object({
    html: z.string().min(1),
    replicas: z.int32().min(0).max(10).default(2),
    isPublic: z.boolean().default(true).describe("Whether there is a Service for it"),
  }),
  status: z.object({ readyReplicas: z.int32().optional() }),
  columns: { Ready: ".status.readyReplicas" },
});
type Website = ObjectOf<typeof Website>;

const websiteController = defineController(Website, {
  owns: [ConfigMap, Deployment, Service], // the RBAC role follows from this
  async reconcile(site, ctx) {
    await ctx.apply(ConfigMap, { metadata: { name: nameOf(site) }, data: { "index.html": site.spec.html } });
    const deployment = await ctx.apply(Deployment, deploymentFor(site));
    if (site.spec.isPublic) await ctx.apply(Service, serviceFor(site));
    await ctx.prune(); // deletes the children that were not declared this time: a Service that is no longer public
    ctx.status({ readyReplicas: deployment.status?.readyReplicas ?? 0 });
  },
});

const nameOf = ({ metadata }: Website) => metadata.name ?? "";
const labelsOf = (site: Website) => ({ website: nameOf(site) });

function deploymentFor(site: Website) {
  const labels = labelsOf(site);
  const volumeMounts = [{ name: "html", mountPath: "/usr/share/nginx/html" }];
  const container = { name: "nginx", image: "nginx:1.27", ports: [{ containerPort: 80 }], volumeMounts };
  const volumes = [{ name: "html", configMap: { name: nameOf(site) } }];
  return {
    metadata: { name: nameOf(site), labels },
    spec: {
      replicas: site.spec.replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [container], volumes } },
    },
  };
}

function serviceFor(site: Website) {
  return {
    metadata: { name: nameOf(site), labels: labelsOf(site) },
    spec: { selector: labelsOf(site), ports: [{ port: 80, targetPort: 80 }] },
  };
}

export default defineManager({ name: "website", controllers: [websiteController] });
